import Testing

@testable import Channels

@Suite("Servers that a user is about to enter on")
struct EntryClaimsTests {
  private var claims = EntryClaims(server: 0)
  private var roster = ChannelRoster()

  private mutating func add(
    _ number: UInt64, on server: UInt16, isEntering: Bool = false
  ) -> UInt16? {
    claims.add(number, of: "ann", on: server, in: roster) { _ in isEntering }
  }

  @Test("the second server learns of the first, and the first of none")
  mutating func order() {
    #expect(add(1, on: 1) == nil)
    #expect(add(1, on: 2) == 1)
    #expect(add(2, on: 1) == nil)
  }

  @Test("a server keeps its place while any of its admissions is open")
  mutating func place() {
    _ = add(1, on: 1)
    _ = add(1, on: 2)
    _ = add(2, on: 1)
    claims.settle(1, of: "ann", on: 1)
    #expect(add(2, on: 2) == 1)
    #expect(add(3, on: 1) == nil)
  }

  @Test("the next server has the place when all admissions of the first are settled")
  mutating func succession() {
    _ = add(1, on: 1)
    _ = add(1, on: 2)
    claims.settle(1, of: "ann", on: 1)
    #expect(add(2, on: 1) == 2)
    #expect(add(2, on: 2) == nil)
  }

  @Test("the home's own place holds while the user is about to enter there")
  mutating func ownPlace() {
    _ = add(0, on: 0)
    #expect(add(1, on: 1, isEntering: true) == 0)
    #expect(add(2, on: 1) == nil)
  }

  @Test("a server keeps its place while it has the user, and then for those on the way")
  mutating func present() {
    _ = roster.add("ann", on: 1)
    #expect(add(1, on: 2) == 1)
    #expect(add(1, on: 1) == nil)
    _ = roster.remove("ann", from: 1)
    #expect(add(2, on: 2) == 1)
    claims.settle(1, of: "ann", on: 1)
    #expect(add(3, on: 2) == nil)
  }

  @Test("a server that has the user comes before the first place, which has only asked")
  mutating func presentLater() {
    #expect(add(1, on: 1) == nil)
    #expect(add(1, on: 2) == 1)
    _ = roster.add("ann", on: 2)
    #expect(add(2, on: 1) == 2)
    #expect(add(2, on: 2) == nil)
  }

  @Test("a server that attaches anew keeps the places of connections that are still on the way")
  mutating func attached() {
    _ = add(1, on: 1)
    _ = add(1, on: 2)
    claims.replace(of: 1, by: [.asking(5, "ann")], upTo: 5)
    #expect(add(2, on: 2) == 1)
    claims.replace(of: 1, by: [], upTo: 5)
    #expect(add(3, on: 2) == nil)
  }

  @Test("one that goes on by the word of the home before comes ahead of those that ask")
  mutating func holding() {
    claims.replace(of: 1, by: [.asking(1, "ann")], upTo: 1)
    claims.replace(of: 2, by: [.holding(1, "ann"), .asking(2, "ann")], upTo: 2)
    #expect(add(2, on: 1) == 2)
    #expect(add(2, on: 2) == nil)
    // The connection that was let in here is on the way still.
    claims.settle(1, of: "ann", on: 2)
    #expect(add(3, on: 1) == 2)
    claims.replace(of: 2, by: [.asking(2, "ann")], upTo: 2)
    #expect(add(4, on: 1) == 2)
    claims.settle(2, of: "ann", on: 2)
    #expect(add(5, on: 1) == nil)
    #expect(add(3, on: 2) == 1)
  }

  @Test("a server that was given the window comes before all others")
  mutating func heirs() {
    _ = roster.add("ann", on: 3)
    _ = add(1, on: 1)
    _ = add(1, on: 2)
    _ = roster.remove("ann", from: 3)
    claims.prefer([2], to: 3, for: "ann")
    #expect(add(2, on: 1) == 2)
  }

  @Test("a server comes after those that it has given the window, whatever it was allowed before")
  mutating func heirsOfFirst() {
    #expect(add(1, on: 1) == nil)
    #expect(add(2, on: 1) == nil)
    #expect(add(1, on: 2) == 1)
    _ = roster.add("ann", on: 1)
    claims.settle(1, of: "ann", on: 1)
    _ = roster.remove("ann", from: 1)
    claims.prefer([2], to: 1, for: "ann")
    #expect(add(3, on: 1) == 2)
  }

  @Test("a stage on the home's server that is attached like others has its place by numbers")
  mutating func attachedHere() {
    #expect(add(1, on: 0) == nil)
    #expect(add(1, on: 1) == 0)
    claims.settle(1, of: "ann", on: 0)
    #expect(add(2, on: 1) == nil)
  }

  @Test("a server that is gone has no place")
  mutating func gone() {
    _ = add(1, on: 1)
    claims.removeAll(of: 1)
    #expect(add(1, on: 2) == nil)
  }
}

extension EntryClaim {
  static func asking(_ number: UInt64, _ userID: String) -> EntryClaim {
    EntryClaim(number: number, userID: userID, standing: .asking)
  }

  static func holding(_ number: UInt64, _ userID: String) -> EntryClaim {
    EntryClaim(number: number, userID: userID, standing: .holding)
  }
}
