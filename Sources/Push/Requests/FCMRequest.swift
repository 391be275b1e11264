internal import Basics
internal import ParleyProtocol

/// Requests to FCM's HTTP v1 API.
package struct FCMService: Sendable, Hashable {
  /// `push.fcm.url`, without a slash at its end.
  package var url: String
  package var projectID: String
  package var style: FCMPayload.Style
  /// `push.ttl_seconds`: how long FCM tries to deliver.
  package var lifetime: Int64

  package init(url: String, projectID: String, style: FCMPayload.Style, lifetime: Int64) {
    self.url = url
    self.projectID = projectID
    self.style = style
    self.lifetime = lifetime
  }

  package func message(
    _ notification: PushNotification, to token: String, bearer: String
  ) -> PushRequest {
    request(
      bearer, FCMPayload.message(notification, to: token, style: style, lifetime: lifetime))
  }

  /// A push without an alert.
  package func silent(_ push: SilentPush, to token: String, bearer: String) -> PushRequest {
    request(bearer, FCMPayload.silent(push, to: token, lifetime: lifetime))
  }

  private func request(_ bearer: String, _ body: [UInt8]) -> PushRequest {
    PushRequest(
      url: "\(url)/v1/projects/\(PercentEncoding.encode(pathPart: projectID))/messages:send",
      fields: ["authorization: Bearer \(bearer)", "content-type: application/json"], body: body)
  }
}
