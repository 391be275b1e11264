import Crypto
import HTTP1
import ParleyProtocol

/// A call of the Platform API, its target taken apart.
struct PlatformRequest {
  let method: String
  /// The path below `/v3`, decoded.
  let path: [String]
  let query: QueryParameters
  private let body: [UInt8]
  private let apiToken: String
  /// The file that came with the body.
  private(set) var upload: UploadedFile?

  /// - Throws: 400151 when the target's percent-encoding is broken.
  init(_ request: HTTPRequest) throws(ServiceError) {
    guard let segments = request.head.pathSegments,
      let query = QueryParameters(request.head.query)
    else {
      throw ServiceError(
        .characterNotAllowed, "the target's percent-encoding is broken or not UTF-8")
    }
    method = request.head.method
    path = Array(segments.dropFirst())
    self.query = query
    body = request.body
    apiToken = request.head.fields["Api-Token"] ?? ""
  }

  /// The same with a file that has come whole.
  func with(_ upload: UploadedFile) -> PlatformRequest {
    var request = self
    request.upload = upload
    return request
  }

  /// The caller, for calls that are charged by their cost.
  var caller: QueryCaller { .platform(TokenDigest(of: apiToken)) }

  /// Whether a request is one for the Platform API.
  static func isMeant(by head: HTTPRequestHead) -> Bool {
    head.path == "/v3" || head.path.hasPrefix("/v3/")
  }

  /// The members of the body; an empty one has none.
  ///
  /// - Throws: 400403 unless it is a JSON object.
  var parameters: Parameters {
    get throws(ServiceError) {
      guard !body.isEmpty else { return try Parameters(nil) }
      let root: JSONNode
      do throws(JSONError) { root = try JSONDocument(body).root } catch {
        throw ServiceError(.bodyNotJSON, "the body is not valid JSON: \(error)")
      }
      guard root.kind == .object else {
        throw ServiceError(.bodyNotJSON, "the body must be a JSON object")
      }
      return try Parameters(root)
    }
  }
}

extension PlatformRequest {
  /// Checks that a body that came with a file is in order, before the file is kept.
  ///
  /// - Throws: What sending would, as far as the body alone tells; 400111 for a message of another
  ///   type.
  func requireFileMessage() throws(ServiceError) {
    let type = try MessageSubmission(parameters).draft.type
    guard type == .file else {
      throw .invalid("message_type", type.rawValue, expected: "FILE with a file")
    }
  }
}
