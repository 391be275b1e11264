import Testing

@testable import ParleyClient

@Suite("A member of a group")
struct MemberTests {
  private func member(_ rest: String) throws -> Member {
    let text =
      #"{"user_id":"ben","nickname":"Ben","profile_url":"","state":"joined","role":"none","#
      + #""is_muted":false,"joined_at":5,"invited_at":0\#(rest)}"#
    return try Member(json: AnswerReader.document(text.json))
  }

  @Test("is online, or was when its last session ended")
  func presence() throws {
    let online = try member(#","is_online":true,"last_seen_at":0"#)
    #expect(online.isOnline && online.lastSeenAt == 0)
    let away = try member(#","is_online":false,"last_seen_at":1700000000000"#)
    #expect(!away.isOnline && away.lastSeenAt == 1_700_000_000_000)
  }

  @Test("is offline if the server does not say so")
  func unknown() throws {
    let member = try member("")
    #expect(!member.isOnline && member.lastSeenAt == 0)
    let invited = Member(invited: User(userID: "cleo"), at: 7)
    #expect(!invited.isOnline && invited.lastSeenAt == 0 && invited.invitedAt == 7)
  }

  @Test("is refused with a time that is none")
  func malformed() {
    #expect(throws: ParleyError.self) { try member(#","last_seen_at":"yesterday""#) }
  }
}
