import Testing

@testable import Channels

@Suite("Recent requests")
struct RecentRequestsTests {
  private let lifetime: Int64 = 600_000

  private func key(_ name: String, by userID: String? = "ann") -> RequestKey {
    RequestKey(userID: userID, requestID: name)
  }

  @Test("until ten minutes after the channel's last message, any request may be a repetition")
  func isCarefulAfterLoading() {
    var recent = RecentRequests(unknownUntil: 1_000_000)
    #expect(recent.mayContain(key("a"), at: 1_000_000) == true)
    #expect(recent.mayContain(key("a"), at: 1_000_000 + lifetime - 1) == true)
    #expect(recent.mayContain(key("a"), at: 1_000_000 + lifetime) == false)
    var fresh = RecentRequests(unknownUntil: 0)
    #expect(fresh.mayContain(key("a"), at: 1_000_000) == false)
  }

  @Test("a request is remembered for at least its lifetime, and forgotten after two")
  func remembers() {
    for start in [Int64(0), 1, 300_000, 599_999] {
      var recent = RecentRequests(unknownUntil: 0)
      _ = recent.mayContain(key("x"), at: 1_000_000)
      let time = 1_000_000 + start
      recent.note(key("a"), at: time)
      #expect(recent.mayContain(key("a"), at: time) == true)
      #expect(recent.mayContain(key("a"), at: time + lifetime - 1) == true)
      #expect(recent.mayContain(key("b"), at: time + lifetime - 1) == false)
      #expect(recent.mayContain(key("a", by: nil), at: time) == false)
      #expect(recent.mayContain(key("a"), at: time + 2 * lifetime) == false)
    }
  }

  @Test("a request beyond the capacity makes all requests uncertain for one lifetime")
  func overflows() {
    var recent = RecentRequests(unknownUntil: 0)
    let start: Int64 = 1_000_000
    for number in 0...RecentRequests.capacity { recent.note(key("\(number)"), at: start) }
    #expect(recent.mayContain(key("never"), at: start + lifetime - 1) == true)
    #expect(recent.mayContain(key("never"), at: start + 2 * lifetime) == false)
  }
}
