internal import ClientTransport

/// A file whose bytes the application uploads, for example by a background task of the system.
///
/// The server sends the message when all bytes have arrived, even if the client is not connected then.
/// The value is `Codable`, so that an application that is started again by the system can continue.
public struct BackgroundUpload: Sendable, Hashable, Codable {
  /// The id of the file, for ``ParleyClient/ParleyClient/uploadedFile(fileID:)``.
  public let fileID: String
  /// The ``BaseMessage/requestID`` of the message that the server will send.
  public let requestID: String
  /// The channel of the message.
  public let channelURL: String
  /// The size of the file in bytes; the request must have exactly as many.
  public let size: Int64
  /// The request that uploads the file; its body is the file.
  public let request: UploadRequest
}

/// The request by which an application uploads a file.
///
///     var request = URLRequest(url: URL(string: upload.request.url)!)
///     request.httpMethod = upload.request.method
///     request.allHTTPHeaderFields = upload.request.headerFields
///     backgroundSession.uploadTask(with: request, fromFile: file).resume()
///
/// A repeated request starts from the beginning; after the last byte it changes nothing.
public struct UploadRequest: Sendable, Hashable, Codable {
  /// The http or https URL.
  ///
  /// Anyone who has it can write the file, so do not log it.
  public let url: String
  /// `PUT`.
  public let method: String
  /// The header fields to send; the system adds the length of the body.
  public let headerFields: [String: String]

  /// - Throws: ``ParleyError/malformedAnswer(_:)`` for an address that is not one of http.
  init(to url: String, _ configuration: EngineConfiguration) throws(ParleyError) {
    let plan = try ConnectionPlan(configuration, toUpload: url)
    self.url = url
    method = "PUT"
    var fields = ["Content-Type": "application/octet-stream"]
    for field in plan.fields { fields[field.name] = field.value }
    headerFields = fields
  }
}

extension ConnectionPlan {
  /// The plan for requests to the address of an upload.
  ///
  /// - Throws: ``ParleyError/malformedAnswer(_:)``.
  init(_ configuration: EngineConfiguration, toUpload url: String) throws(ParleyError) {
    let socket = try ConnectionPlan(configuration)
    do throws(ConnectionPlanError) {
      self = try socket.toRequest(url)
    } catch {
      throw .malformedAnswer("'upload_url' can't be used")
    }
  }
}
