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
}
