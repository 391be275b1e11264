import Configuration
import HTTP1
import ParleyProtocol
import Transport

/// Decides, when the head of a request has come, whether its body is a form with a file.
struct UploadAdmission {
  let node: Node
  let connection: Connection

  /// - Returns: `nil` for a request that is no upload.
  func decision(on head: HTTPRequestHead) -> BodyDecision? {
    guard let path = Self.path(ifMeantBy: head) else { return nil }
    do throws(ServiceError) {
      let api = PlatformAPI(node: node, connection: connection)
      try api.admit(head)
      try api.requireServing(path)
      let contentType = head.fields["Content-Type"] ?? ""
      guard let boundary = MultipartBoundary(contentType: contentType) else {
        throw .invalid(
          "Content-Type", contentType, expected: "multipart/form-data with a boundary")
      }
      let limits = node.services.settings.limits
      let address = try FileAddress(
        publicURL: node.services.settings.files.publicURL, head,
        isEncrypted: connection.isEncrypted)
      // What is around the file has the room of any other body.
      let limit = limits.fileBytes + limits.httpBodyBytes
      if let length = head.fields["Content-Length"].flatMap({ Int($0) }), length > limit {
        return .refused(.fileTooLarge(limit: limits.fileBytes))
      }
      return .pieces(
        limit: limit,
        UploadReceiver(
          node: node, connection: connection.id, head: head, boundary: boundary, address: address))
    } catch {
      return .refusing(head, HTTPResponse(refusing: error))
    }
  }

  /// The path below `/v3` of a request that sends a message by a form.
  private static func path(ifMeantBy head: HTTPRequestHead) -> [String]? {
    guard head.method == "POST", MultipartBoundary.isMeant(by: head.fields["Content-Type"]),
      let path = head.pathSegments, path.count == 4, path[0] == "v3", path[1] == "open_channels",
      path[3] == "messages"
    else { return nil }
    return Array(path.dropFirst())
  }
}
