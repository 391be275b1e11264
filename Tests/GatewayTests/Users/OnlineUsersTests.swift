import Testing

@testable import Gateway

@Suite("The users who are online")
struct OnlineUsersTests {
  @Test("are known from the first session to the end of the last one")
  func presence() {
    let online = OnlineUsers()
    #expect(!online.contains("ada"))
    for id in ["ada", "ben", "ada"] { online.note(id, .attentive) }
    #expect(online.among(["cleo", "ben", "ada", "ada"]) == ["ada", "ben"])
    online.note("ada", .offline)
    online.note("cleo", .offline)
    #expect(!online.contains("ada") && online.contains("ben"))
    #expect(online.among([]) == [])
  }

  @Test("are distinguished by the bytes of their ids")
  func equivalentIDs() {
    let online = OnlineUsers()
    online.note("caf\u{e9}", .attentive)
    #expect(online.contains("caf\u{e9}") && !online.contains("cafe\u{301}"))
    online.note("cafe\u{301}", .offline)
    #expect(online.contains("caf\u{e9}"))
  }

  @Test("are those of all servers, each of which sends its own and then what changes")
  func severalServers() {
    let (one, other) = (OnlineUsers(isShared: true), OnlineUsers(isShared: true))
    func send(_ notices: [OnlineNotice]) {
      for notice in notices {
        guard let received = OnlineNotice(encoded: notice.encoded) else {
          return #expect(Bool(false))
        }
        #expect(received == notice)
        other.take(received)
      }
    }
    one.note("ada", .attentive)
    one.note("ben", .attentive)
    send(one.all(from: 1))
    #expect(other.among(["ada", "ben", "cleo"]) == ["ada", "ben"])
    one.note("cleo", .attentive)
    one.note("ada", .offline)
    send(one.takeChanges(from: 1))
    #expect(other.among(["ada", "ben", "cleo"]) == ["ben", "cleo"])
    #expect(one.takeChanges(from: 1).isEmpty)
    one.note("ben", .offline)
    _ = one.takeChanges(from: 1)
    send(one.all(from: 1))
    #expect(other.among(["ada", "ben", "cleo"]) == ["cleo"])
    other.note("cleo", .attentive)
    let lost = other.keep([])
    #expect(lost.contains("cleo") && !lost.contains("ben"))
    #expect(other.contains("cleo"))
    other.note("cleo", .offline)
    #expect(!other.contains("cleo"))
  }

  @Test("are attentive here or on another server, unless all their sessions are in the background")
  func attention() {
    let (one, other) = (OnlineUsers(isShared: true), OnlineUsers(isShared: true))
    func send() { for notice in one.takeChanges(from: 1) { other.take(notice) } }
    one.note("ada", .attentive)
    one.note("ben", .away)
    send()
    #expect(other.hasAttentiveSession("ada") && !other.hasAttentiveSession("ben"))
    #expect(other.among(["ada", "ben"]) == ["ada", "ben"])
    one.note("ada", .away)
    one.note("ben", .attentive)
    #expect(!one.hasAttentiveSession("ada") && one.hasAttentiveSession("ben"))
    send()
    #expect(!other.hasAttentiveSession("ada") && other.hasAttentiveSession("ben"))
    other.note("ada", .attentive)
    #expect(other.hasAttentiveSession("ada"))
    other.note("ada", .offline)
    one.note("ben", .offline)
    one.note("ben", .away)
    for notice in one.all(from: 1) { other.take(notice) }
    #expect(other.among(["ada", "ben"]) == ["ada", "ben"])
    #expect(!other.hasAttentiveSession("ada") && !other.hasAttentiveSession("ben"))
    #expect(other.keep([1]).isEmpty)
    one.note("cleo", .attentive)
    send()
    let lost = other.keep([2])
    #expect(["ada", "ben", "cleo"].filter(lost.contains) == ["cleo"])
    #expect(other.among(["ada", "ben"]).isEmpty)
  }

  @Test("are sent in notices of bounded size")
  func size() {
    let online = OnlineUsers(isShared: true)
    for number in 0..<10_000 { online.note("user \(number)", .attentive) }
    for notices in [online.all(from: 1), online.takeChanges(from: 1)] {
      #expect(notices.reduce(0) { $0 + $1.attentive.count } == 10_000)
      #expect(notices.allSatisfy { $0.encoded.count < 65_536 })
    }
  }

  @Test("are not changed by bytes that are no notice")
  func garbage() {
    let notice = OnlineNotice(server: 3, attentive: [1], away: [2], offline: [3])
    for count in 0..<notice.encoded.count where (count - 11) % 8 != 0 || count < 27 {
      #expect(OnlineNotice(encoded: Array(notice.encoded.prefix(count))) == nil)
    }
    var bytes = notice.encoded
    for place in [3, 7] {
      bytes[place] = 9
      #expect(OnlineNotice(encoded: bytes) == nil)
      bytes = notice.encoded
    }
    bytes[2] = 2
    #expect(OnlineNotice(encoded: bytes) == nil)
  }
}
