import ParleyProtocol
import TestSupport
import Testing

@testable import Push

@Suite("Answers of push services")
struct PushAnswerTests {
  /// An outcome without its details.
  enum Kind: Sendable { case sent, forget, wait, renew, alarm, tooLarge, failed }

  private func kind(_ outcome: PushOutcome) -> Kind {
    switch outcome {
    case .sent: .sent
    case .forgetToken: .forget
    case .wait: .wait
    case .renewCredential: .renew
    case .alarm: .alarm
    case .tooLarge: .tooLarge
    case .failed: .failed
    }
  }

  private func answer(_ status: Int, _ body: String = "") -> PushAnswer {
    PushAnswer(status: status, body: Array(body.utf8))
  }

  private func apns(_ status: Int, _ body: String = "", registeredAt: Int64 = 1_000) -> Kind {
    kind(APNsAnswers.outcome(of: answer(status, body), registeredAt: registeredAt, at: 0))
  }

  private func fcm(_ status: Int, _ body: String = "") -> Kind {
    kind(FCMAnswers.outcome(of: answer(status, body), at: 0))
  }

  @Test(
    "APNs, all documented reasons",
    arguments: [
      (200, "", .sent),
      (400, "BadCollapseId", .failed), (400, "BadDeviceToken", .forget),
      (400, "BadExpirationDate", .failed), (400, "BadMessageId", .failed),
      (400, "BadPriority", .failed), (400, "BadTopic", .alarm),
      (400, "DeviceTokenNotForTopic", .forget), (400, "DuplicateHeaders", .failed),
      (400, "IdleTimeout", .wait), (400, "InvalidPushType", .failed),
      (400, "MissingDeviceToken", .failed), (400, "MissingTopic", .alarm),
      (400, "PayloadEmpty", .failed), (400, "TopicDisallowed", .alarm),
      (403, "BadCertificate", .alarm), (403, "BadCertificateEnvironment", .alarm),
      (403, "ExpiredProviderToken", .renew), (403, "Forbidden", .alarm),
      (403, "InvalidProviderToken", .alarm), (403, "MissingProviderToken", .alarm),
      (403, "UnrelatedKeyIdInToken", .alarm), (403, "BadEnvironmentKeyIdInToken", .alarm),
      (404, "BadPath", .failed), (405, "MethodNotAllowed", .failed),
      (410, "Unregistered", .forget), (410, "ExpiredToken", .forget),
      (413, "PayloadTooLarge", .failed), (429, "TooManyProviderTokenUpdates", .wait),
      (429, "TooManyRequests", .wait), (500, "InternalServerError", .wait),
      (503, "ServiceUnavailable", .wait), (503, "Shutdown", .wait),
    ] as [(Int, String, Kind)])
  func apnsReasons(status: Int, reason: String, expected: Kind) {
    #expect(apns(status, reason.isEmpty ? "" : #"{"reason":"\#(reason)"}"#) == expected)
  }

  @Test("APNs forgets a token only if it was registered before the time of a 410")
  func apnsTimestamp() {
    let gone = #"{"reason":"Unregistered","timestamp":5000}"#
    #expect(apns(410, gone, registeredAt: 4_999) == .forget)
    #expect(apns(410, gone, registeredAt: 5_000) == .failed)
    #expect(apns(410, gone, registeredAt: 5_001) == .failed)
    #expect(apns(410, "", registeredAt: 5_001) == .forget)
  }

  @Test("answers of any service that make no sense are the fault of this push only")
  func nonsense() {
    for status in [0, 100, 204, 301, 302, 401, 418, 600] { #expect(apns(status) == .failed) }
    for status in [0, 100, 204, 301, 302, 413, 418, 600] { #expect(fcm(status) == .failed) }
    for body in ["{", "[]", "{\"reason\":5}", String(repeating: "[", count: 60_000)] {
      #expect(apns(400, body) == .failed)
      #expect(fcm(400, body) == .failed)
      #expect(fcm(404, body) == .alarm)
    }
  }

  /// An error of FCM.
  private func error(
    _ status: String, code: String? = nil, fields: [String] = [], message: String = ""
  ) -> String {
    var details: [String] = []
    if let code {
      details.append(
        #"{"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"\#(code)"}"#)
    }
    if !fields.isEmpty {
      let list = fields.map { #"{"field":"\#($0)","description":"wrong"}"# }.joined(separator: ",")
      details.append(
        #"{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[\#(list)]}"#)
    }
    return """
      {"error":{"code":400,"message":"\(message)","status":"\(status)",\
      "details":[\(details.joined(separator: ","))]}}
      """
  }

  @Test("FCM, all documented codes")
  func fcmCodes() {
    let invalid = "INVALID_ARGUMENT"
    let badToken = "The registration token is not a valid FCM registration token"
    #expect(fcm(200, #"{"name":"projects/app/messages/1"}"#) == .sent)
    #expect(fcm(404, error("NOT_FOUND", code: "UNREGISTERED")) == .forget)
    #expect(fcm(404, error("NOT_FOUND")) == .alarm)
    #expect(fcm(400, error(invalid, code: invalid, message: badToken)) == .forget)
    #expect(fcm(400, error(invalid, code: invalid, fields: ["message.token"])) == .forget)
    #expect(fcm(400, error(invalid, fields: ["message.token"], message: badToken)) == .failed)
    #expect(fcm(400, error(invalid, fields: ["message.data[0].value"])) == .failed)
    #expect(
      fcm(400, error(invalid, code: invalid, fields: ["message.android.ttl"])) == .failed)
    #expect(
      fcm(400, error(invalid, code: invalid, fields: ["message.token", "message.data"]))
        == .failed)
    #expect(fcm(400, error(invalid, code: invalid, message: "Message is too big")) == .failed)
    #expect(fcm(401, error("UNAUTHENTICATED")) == .renew)
    #expect(fcm(401, error("UNAUTHENTICATED", code: "THIRD_PARTY_AUTH_ERROR")) == .alarm)
    #expect(fcm(403, error("PERMISSION_DENIED", code: "SENDER_ID_MISMATCH")) == .forget)
    #expect(fcm(403, error("PERMISSION_DENIED")) == .alarm)
    #expect(fcm(429, error("RESOURCE_EXHAUSTED", code: "QUOTA_EXCEEDED")) == .wait)
    #expect(fcm(500, error("INTERNAL", code: "INTERNAL")) == .wait)
    #expect(fcm(503, error("UNAVAILABLE", code: "UNAVAILABLE")) == .wait)
  }

  @Test(
    "Web Push",
    arguments: [
      (200, .sent), (201, .sent), (202, .sent), (204, .sent), (301, .failed), (307, .failed),
      (400, .failed), (401, .alarm), (403, .alarm), (404, .forget), (410, .forget),
      (413, .tooLarge), (429, .wait), (500, .wait), (502, .wait), (503, .wait), (0, .failed),
    ] as [(Int, Kind)])
  func web(status: Int, expected: Kind) {
    #expect(kind(WebPushAnswers.outcome(of: answer(status), at: 0)) == expected)
  }

  @Test("Retry-After counts on every way")
  func retryAfter() {
    var answer = answer(429)
    answer.retryAfter = "120"
    let outcomes = [
      APNsAnswers.outcome(of: answer, registeredAt: 0, at: 0),
      FCMAnswers.outcome(of: answer, at: 0),
      WebPushAnswers.outcome(of: answer, at: 0),
    ]
    #expect(outcomes.allSatisfy { $0 == .wait(after: 120_000, PushFault(429)) })
    answer.retryAfter = "soon"
    #expect(FCMAnswers.outcome(of: answer, at: 0) == .wait(after: nil, PushFault(429)))
  }

  @Test("faults are one short line")
  func faults() {
    #expect("\(PushFault(0))" == "no answer")
    #expect("\(PushFault(410, "Unregistered"))" == "status 410, Unregistered")
    #expect(
      PushFault(400, "a\nb\u{1b}[31m" + String(repeating: "c", count: 500)).reason.count <= 80)
  }

  @Test("random bodies never trap")
  func random() {
    var generator = SeededGenerator(seed: 1)
    let base = Array(error("INVALID_ARGUMENT", code: "UNREGISTERED", fields: ["a"]).utf8)
    for _ in 0..<2_000 {
      var body = base
      body[Int.random(in: 0..<body.count, using: &generator)] = generator.bytes(1)[0]
      let status = [200, 400, 401, 403, 404, 410, 500][Int.random(in: 0..<7, using: &generator)]
      let answer = PushAnswer(status: status, body: body)
      _ = FCMAnswers.outcome(of: answer, at: 0)
      _ = APNsAnswers.outcome(of: answer, registeredAt: 0, at: 0)
    }
  }
}
