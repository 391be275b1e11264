import Configuration
import HTTP1
import ParleyProtocol
import Transport

/// Decides, when the head of a request with a body has come, whether the body is taken and how.
///
/// Whatever the head alone can be refused for is refused before any of the body is kept.
struct BodyAdmission {
  let node: Node
  let connection: Connection

  func decision(on head: HTTPRequestHead) -> BodyDecision {
    guard PlatformRequest.isMeant(by: head), InterfaceDescription(rawValue: head.path) == nil else {
      return decisionBesideAPI(on: head)
    }
    if let upload = UploadAdmission(node: node, connection: connection).decision(on: head) {
      return upload
    }
    do throws(ServiceError) {
      try PlatformAPI(node: node, connection: connection).judge(head)
      return .whole
    } catch {
      return .refusing(head, HTTPResponse(refusing: error))
    }
  }

  /// Nothing beside the Platform API takes a body: a small one is read and passed over.
  private func decisionBesideAPI(on head: HTTPRequestHead) -> BodyDecision {
    if RefusedBody.isSmall(head) { return .whole }
    var response = HTTPResponse(
      refusing: ServiceError(.tooLong, "there is nothing here that takes a body"))
    response.status = .contentTooLarge
    if head.path != "/v1/ws", !FileDownload.isMeant(by: head) {
      let answer = Routes(node: node, connection: connection).respond(to: head)
      if answer.status.code >= 400 { response = answer }
    }
    return .refused(response)
  }
}
