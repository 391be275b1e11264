import ParleyProtocol
import Testing

@testable import Push

@Suite("Requests to push services")
struct PushRequestTests {
  private let notification = PushNotification(
    of: Message(
      id: 42, channelURL: "team", user: User(id: "jeff"), text: "hello", createdAt: 5, ordinal: 1),
    channelName: "", badge: 1, preferences: PushPreferences(), texts: PushTexts())

  @Test("APNs")
  func apns() {
    let service = APNsService(
      url: "https://api.push.apple.com", topic: "org.example.app", lifetime: 86_400)
    let request = service.message(notification, to: "abc1", bearer: "jwt", at: 1_000)
    #expect(request.url == "https://api.push.apple.com/3/device/abc1")
    #expect(
      request.fields == [
        "authorization: bearer jwt", "apns-topic: org.example.app", "apns-push-type: alert",
        "apns-expiration: 87400", "content-type: application/json", "apns-priority: 10",
        "apns-id: \(PushIdentifiers.uuid(messageID: 42, token: "abc1"))", "apns-collapse-id: 42",
      ])
    #expect(request.body == APNsPayload.message(notification))
    let silent = service.silent(.badge(1), to: "abc1", bearer: "jwt", at: 1_000)
    #expect(silent.fields.contains("apns-priority: 5"))
    #expect(!silent.fields.contains { $0.hasPrefix("apns-id") })
    #expect("\(request)" == "a push of \(request.body.count) bytes")
  }

  @Test("FCM")
  func fcm() {
    let service = FCMService(
      url: "https://fcm.googleapis.com", projectID: "my/app", style: .notification, lifetime: 60)
    let request = service.message(notification, to: "tok", bearer: "ya29")
    #expect(request.url == "https://fcm.googleapis.com/v1/projects/my%2Fapp/messages:send")
    #expect(
      request.fields == ["authorization: Bearer ya29", "content-type: application/json"])
  }

  @Test("Web Push, with and without a body")
  func web() {
    let service = WebPushService(lifetime: 86_400)
    let topic = "topic: \(PushIdentifiers.topic(channelURL: "team"))"
    let request = service.message(
      [1, 2], to: "https://push.example/x", channelURL: "team", authorization: "vapid t=a, k=b")
    #expect(request.url == "https://push.example/x" && request.body == [1, 2])
    #expect(
      request.fields == [
        "authorization: vapid t=a, k=b", "ttl: 86400", "urgency: high", topic,
        "content-encoding: aes128gcm", "content-type: application/octet-stream",
      ])
    let empty = service.message(
      nil, to: "https://push.example/x", channelURL: "team", authorization: "vapid t=a, k=b")
    #expect(empty.body.isEmpty && empty.fields.count == 4)
  }
}
