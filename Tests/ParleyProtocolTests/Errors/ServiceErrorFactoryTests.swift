import ParleyProtocol
import Testing

@Suite("Individual refusals")
struct ServiceErrorFactoryTests {
  @Test(
    "each refusal has its code and names the faulty value",
    arguments: [
      (.notFound(.user, "u"), 400201, "user_id"),
      (.notFound(.channel, "c"), 400201, "channel_url"),
      (.notFound(.message, "7"), 400201, "message_id"),
      (.notFound(.token, "t"), 400201, "token"), (.notFound(.ban, "u"), 400201, "user_id"),
      (.notFound(.mute, "u"), 400201, "user_id"), (.notFound(.metadata, "k"), 400201, "key"),
      (.notFound(.metacounter, "k"), 400201, "key"),
      (.notFound(messageID: 7), 400201, "message_id"),
      (.notKept(inEphemeralChannel: "c"), 400201, "channel_url"),
      (.exists(.channel, "c"), 400202, "channel_url"), (.notAllowed("no"), 400108, nil),
      (.tooManyChannels(limit: 10), 400203, nil), (.pageTokenExpired, 400109, "token"),
      (.deactivated("u"), 400300, "user_id"),
      (.accessToken("it has expired"), 400302, "access_token"),
      (.notInChannel("c"), 900020, "channel_url"), (.banned("c"), 400750, "channel_url"),
      (.muted("c"), 900041, "channel_url"), (.frozen("c"), 900050, "channel_url"),
      (.flood(retryAfter: 1, limit: 5, window: 1000), 900200, nil),
      (.rateLimited(retryAfter: 1, limit: 5, window: 1000, scope: "user"), 500910, nil),
      (.internalError, 500901, nil), (.internalRPCError, -32603, nil),
      (.overCapacity, 400501, nil), (.noSuchMethod("x"), -32601, "method"),
      (.paramsNotObject, -32602, "params"), (.invalidRequest("no"), -32600, nil),
      (.userIDTooLong("user_id"), 400305, "user_id"),
      (.notJoined("c"), 900020, "channel_url"), (.notInvited("c"), 400920, "channel_url"),
      (.wrongKind("c", .group), 400920, "channel_url"),
      (.wrongKind("c", .open), 400920, "channel_url"),
      (.tooManyMembers(limit: 5), 400203, "user_ids"),
    ] as [(ServiceError, Int, String?)])
  func codes(_ error: ServiceError, _ code: Int, _ field: String?) {
    #expect(error.code.rawValue == code)
    #expect(error.data.field == field)
    #expect(!error.message.isEmpty)
  }

  @Test("an error object without a code is not an error")
  func withoutCode() throws {
    #expect(ServiceError(json: try node(#"{"message":"no"}"#)) == nil)
  }
}
