import Basics
import HTTP
import ParleyProtocol
import Uploads

/// The answers to upload requests: those of tus, with the fields that let pages of other origins read
/// them.
struct UploadAnswers: Sendable {
  static let extensions = "creation,creation-with-upload,expiration,checksum,termination"
  private static let methods = ["PUT", "HEAD", "PATCH", "DELETE", "POST", "OPTIONS"]
  private static let requestFields = """
    Authorization, Parley-User, Content-Type, Tus-Resumable, Upload-Offset, Upload-Length, \
    Upload-Metadata, Upload-Checksum, X-HTTP-Method-Override, X-Requested-With
    """
  private static let answerFields = """
    Location, Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Tus-Checksum-Algorithm, \
    Upload-Offset, Upload-Length, Upload-Expires, Upload-Metadata, Parley-Message-Id, Parley-Error, \
    Retry-After
    """

  private let lastFields: CrossOriginFields

  init(to head: HTTPRequestHead, allowedOrigins: [String]) {
    lastFields = CrossOriginFields(
      for: head, admitsAll: allowedOrigins.isEmpty || allowedOrigins.contains("*"))
  }

  // MARK: Requests that write

  func completion(
    _ view: UploadView, _ moment: TransferAnswer.Completion, _ style: UploadTransfer.Style
  ) -> HTTPResponse {
    var response: HTTPResponse
    switch style {
    case .put:
      response = HTTPResponse(
        status: moment == .now ? .created : .ok, fields: ["Content-Type": "application/json"],
        body: view.encodedWithMessage())
    case .patch: response = HTTPResponse(status: .noContent)
    case .creation(let url):
      response = HTTPResponse(status: .created, fields: ["Location": url])
    }
    if let id = view.record.messageID {
      response.fields.append("Parley-Message-Id", String(id))
    } else if let code = view.errorCode {
      response.fields.append("Parley-Error", String(code))
    }
    response.fields.append("Upload-Offset", String(view.record.size))
    return finished(response)
  }

  /// The answer to a request that leaves its upload unfinished.
  func progress(
    _ offset: Int64, of record: UploadRecord, _ style: UploadTransfer.Style
  ) -> HTTPResponse {
    var response: HTTPResponse
    switch style {
    case .put, .patch: response = HTTPResponse(status: .noContent)
    case .creation(let url):
      response = HTTPResponse(status: .created, fields: ["Location": url])
    }
    response.fields.append("Upload-Offset", String(offset))
    response.fields.append("Upload-Expires", expiry(record))
    return finished(response)
  }

  // MARK: Other requests

  func creation(_ url: String, _ record: UploadRecord) -> HTTPResponse {
    var response = HTTPResponse(status: .created, fields: ["Location": url])
    response.fields.append("Upload-Expires", expiry(record))
    return finished(response)
  }

  func state(_ record: UploadRecord) -> HTTPResponse {
    var response = HTTPResponse(
      status: .ok,
      fields: [
        "Upload-Offset": String(record.offset), "Upload-Length": String(record.size),
        "Upload-Expires": expiry(record),
      ])
    if let metadata = TusFields.metadata(fileName: record.name, fileType: record.type) {
      response.fields.append("Upload-Metadata", metadata)
    }
    return finished(response)
  }

  private func expiry(_ record: UploadRecord) -> String {
    HTTPDate(seconds: record.expiresAt / 1_000).text
  }

  /// The capabilities of the server.
  func options(maximumByteCount: Int) -> HTTPResponse {
    finished(
      HTTPResponse(
        status: .noContent,
        fields: [
          "Tus-Version": TusFields.version, "Tus-Extension": Self.extensions,
          "Tus-Max-Size": String(maximumByteCount),
          "Tus-Checksum-Algorithm":
            UploadChecksum.Algorithm.allCases.map(\.rawValue).joined(separator: ","),
          "Access-Control-Allow-Methods": Self.methods.joined(separator: ", "),
          "Access-Control-Allow-Headers": Self.requestFields,
          "Access-Control-Max-Age": "86400",
        ]))
  }

  func done() -> HTTPResponse { finished(HTTPResponse(status: .noContent)) }

  func refusal(_ refusal: UploadRefusal) -> HTTPResponse {
    var response = HTTPResponse(refusing: refusal.error)
    response.status = HTTPStatus(refusal.status)
    switch refusal {
    case .offset(let offset): response.fields.append("Upload-Offset", String(offset))
    case .version: response.fields.append("Tus-Version", TusFields.version)
    case .locked: response.fields.append("Retry-After", "1")
    // The error for `tooFast` already has its Retry-After.
    case .unknown, .gone, .tooLarge, .incomplete, .checksum, .contentType, .field, .tooFast, .inUse,
      .full, .storage, .keys:
      break
    }
    return finished(response)
  }

  func refusal(_ error: ServiceError, _ status: HTTPStatus? = nil) -> HTTPResponse {
    var response = HTTPResponse(refusing: error)
    if let status { response.status = status }
    if status == .unauthorized { response.fields.append("WWW-Authenticate", "Bearer") }
    return finished(response)
  }

  func refusal(ofMethod method: String) -> HTTPResponse {
    finished(HTTPResponse(refusing: method, allowed: Self.methods))
  }

  private func finished(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    response.fields.append("Tus-Resumable", TusFields.version)
    lastFields.append(to: &response, exposing: Self.answerFields)
    return response
  }
}
