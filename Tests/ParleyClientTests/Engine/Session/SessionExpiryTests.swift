import Testing

@testable import ParleyClient

@Suite("The token expiry notice")
struct SessionExpiryTests {
  /// The server says at `now` that the token expires after this number of milliseconds.
  private func announce(_ rest: Int64, to rig: inout SessionRig) throws {
    try rig.receive(
      #"{"jsonrpc":"2.0","method":"session.expiring","params":{"ts":5,"expires_at":\#(5 + rest)}}"#)
  }

  private func takeNotices(_ rig: inout SessionRig) -> Int {
    rig.takeEvents().filter { event in
      if case .notification("session.expiring", _) = event { true } else { false }
    }.count
  }

  @Test("is sent when two thirds of the token's lifetime have passed")
  func held() throws {
    var rig = SessionRig()
    try rig.connect()
    try announce(30_000, to: &rig)
    try rig.advance(by: 19_999)
    #expect(takeNotices(&rig) == 0)
    try rig.advance(by: 1)
    #expect(takeNotices(&rig) == 1)
    try rig.advance(by: 9_000)
    #expect(takeNotices(&rig) == 0)
  }

  @Test("is sent at once for a token that was given long ago")
  func old() throws {
    var rig = SessionRig()
    try rig.connect()
    rig.now += 3_600_000
    try announce(60_000, to: &rig)
    #expect(takeNotices(&rig) == 1)
  }

  @Test("is not sent for a token that was replaced")
  func replaced() throws {
    var rig = SessionRig()
    try rig.connect()
    try announce(30_000, to: &rig)
    try rig.advance(by: 10_000)
    try rig.handle(.refresh(rig.nextID(), accessToken: "t2"))
    try rig.answer(try #require(rig.sent.last), "{}")
    try rig.advance(by: 15_000)
    #expect(takeNotices(&rig) == 0)
    // One about the new token does, also if it comes before the answer.
    try rig.handle(.refresh(rig.nextID(), accessToken: "t3"))
    try announce(30_000, to: &rig)
    try rig.answer(try #require(rig.sent.last), "{}")
    try rig.advance(by: 20_000)
    #expect(takeNotices(&rig) == 1)
  }

  @Test("remains due when the same token is given again, as the server does not repeat it")
  func same() throws {
    var rig = SessionRig()
    try rig.connect()
    try announce(30_000, to: &rig)
    try rig.handle(.refresh(rig.nextID(), accessToken: "t1"))
    try rig.answer(try #require(rig.sent.last), "{}")
    try rig.advance(by: 20_000)
    #expect(takeNotices(&rig) == 1)
  }
}
