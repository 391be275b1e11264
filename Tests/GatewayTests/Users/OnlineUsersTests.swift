import Testing

@testable import Gateway

@Suite("The users who are online")
struct OnlineUsersTests {
  @Test("are known from the first session to the end of the last one")
  func presence() {
    let online = OnlineUsers()
    #expect(!online.contains("ada"))
    for id in ["ada", "ben", "ada"] { online.insert(id) }
    #expect(online.among(["cleo", "ben", "ada", "ada"]) == ["ada", "ben"])
    online.remove("ada")
    online.remove("cleo")
    #expect(!online.contains("ada") && online.contains("ben"))
    #expect(online.among([]) == [])
  }

  @Test("are distinguished by the bytes of their ids")
  func equivalentIDs() {
    let online = OnlineUsers()
    online.insert("caf\u{e9}")
    #expect(online.contains("caf\u{e9}") && !online.contains("cafe\u{301}"))
    online.remove("cafe\u{301}")
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
    one.insert("ada")
    one.insert("ben")
    send(one.all(from: 1))
    #expect(other.among(["ada", "ben", "cleo"]) == ["ada", "ben"])
    one.insert("cleo")
    one.remove("ada")
    send(one.takeChanges(from: 1))
    #expect(other.among(["ada", "ben", "cleo"]) == ["ben", "cleo"])
    #expect(one.takeChanges(from: 1).isEmpty)
    one.remove("ben")
    _ = one.takeChanges(from: 1)
    send(one.all(from: 1))
    #expect(other.among(["ada", "ben", "cleo"]) == ["cleo"])
    other.insert("cleo")
    other.keep([])
    #expect(other.contains("cleo"))
    other.remove("cleo")
    #expect(!other.contains("cleo"))
  }

  @Test("are sent in notices of bounded size")
  func size() {
    let online = OnlineUsers(isShared: true)
    for number in 0..<10_000 { online.insert("user \(number)") }
    for notices in [online.all(from: 1), online.takeChanges(from: 1)] {
      #expect(notices.reduce(0) { $0 + $1.online.count } == 10_000)
      #expect(notices.allSatisfy { $0.encoded.count < 65_536 })
    }
  }

  @Test("are not changed by bytes that are no notice")
  func garbage() {
    let notice = OnlineNotice(server: 3, online: [1, 2], offline: [3])
    for count in 0..<notice.encoded.count where (count - 7) % 8 != 0 || count < 23 {
      #expect(OnlineNotice(encoded: Array(notice.encoded.prefix(count))) == nil)
    }
    var bytes = notice.encoded
    bytes[3] = 9
    #expect(OnlineNotice(encoded: bytes) == nil)
    bytes = notice.encoded
    bytes[2] = 2
    #expect(OnlineNotice(encoded: bytes) == nil)
  }
}
