import TestSupport
import Testing

@testable import Gateway
@testable import Transport

@Suite("Base URLs of upgrade requests", .onOwnThreads)
struct NamedBasesTests {
  @Test("are stored once, as long as a connection uses them")
  func counts() {
    var bases = NamedBases()
    let (first, other) = (bases.claim("http://a"), bases.claim("http://b"))
    #expect(bases.claim("http://a") == first && first != other)
    #expect(bases[first] == "http://a" && bases[other] == "http://b" && bases.count == 2)
    bases.release(first)
    #expect(bases[first] == "http://a")
    bases.release(first)
    #expect(bases[first] == nil && bases.count == 1)
    // The number is free for another.
    #expect(bases.claim("http://c") == first && bases[first] == "http://c")
  }

  @Test("of closed connections make room for others")
  func leavesRoom() {
    var bases = NamedBases()
    for number in 1...70_000 { bases.release(bases.claim("http://host-\(number)")) }
    #expect(bases.count == 0)
    let number = bases.claim("https://chat.example")
    #expect(bases[number] == "https://chat.example")
  }

  @Test("have a number each up to a limit, beyond which none is stored")
  func isBounded() {
    var bases = NamedBases()
    var last: UInt16 = 0
    for number in 1...Int(UInt16.max) { last = bases.claim("http://host-\(number)") }
    #expect(last == .max && bases.claim("http://another") == 0)
    bases.release(7)
    #expect(bases.claim("http://another") == 7)
  }

  @Test("have hosts of at most the length of a host name")
  func isShort() {
    var bases = NamedBases()
    let host = String(repeating: "a", count: 255)
    #expect(bases.claim("https://\(host)") == 1)
    #expect(bases.claim("https://\(host)a") == 0)
    #expect(bases.claim(nil) == 0)
    bases.release(0)
    #expect(bases[0] == nil && bases.count == 1)
  }

  @Test("are released with their connections")
  func goesWithConnections() throws {
    let driven = try DrivenShard()
    let sessions = [try driven.connect(), try driven.connect()]
    #expect(driven.shard.bases.count == 1)
    for session in sessions {
      #expect(driven.shard.bases[session.session.base] == "http://localhost")
      session.session.connection.drop()
    }
    driven.endTurn()
    #expect(driven.shard.bases.count == 0)
  }
}
