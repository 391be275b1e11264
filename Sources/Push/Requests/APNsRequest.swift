internal import ParleyProtocol

/// Requests to APNs (`POST /3/device/{token}`).
package struct APNsService: Sendable, Hashable {
  /// `push.apns.url`, without a slash at its end.
  package var url: String
  /// `push.apns.topic`: the identifier of the app.
  package var topic: String
  /// `push.ttl_seconds`: how long APNs tries to deliver.
  package var lifetime: Int64

  package init(url: String, topic: String, lifetime: Int64) {
    self.url = url
    self.topic = topic
    self.lifetime = lifetime
  }

  /// - Parameter now: Unix seconds.
  package func message(
    _ notification: PushNotification, to token: String, bearer: String, at now: Int64
  ) -> PushRequest {
    let fields = [
      "apns-priority: 10",
      "apns-id: \(PushIdentifiers.uuid(messageID: notification.messageID, token: token))",
      "apns-collapse-id: \(PushIdentifiers.tag(messageID: notification.messageID))",
    ]
    return request(token, bearer, fields, APNsPayload.message(notification), now)
  }

  /// A push without an alert.
  ///
  /// Its type is `alert`, because pushes of the type `background` may not change the badge.
  ///
  /// - Parameter now: Unix seconds.
  package func silent(
    _ push: SilentPush, to token: String, bearer: String, at now: Int64
  ) -> PushRequest {
    let fields = ["apns-priority: 5", "apns-collapse-id: badge"]
    return request(token, bearer, fields, APNsPayload.silent(push), now)
  }

  private func request(
    _ token: String, _ bearer: String, _ fields: [String], _ body: [UInt8], _ now: Int64
  ) -> PushRequest {
    let common = [
      "authorization: bearer \(bearer)", "apns-topic: \(topic)", "apns-push-type: alert",
      "apns-expiration: \(now + lifetime)", "content-type: application/json",
    ]
    return PushRequest(url: "\(url)/3/device/\(token)", fields: common + fields, body: body)
  }
}
