import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("The roster of a channel")
struct ChannelRosterTests {
  @Test("a user is in the channel while present on any server")
  func servers() {
    var roster = ChannelRoster()
    let user = User(id: "ann", nickname: "Ann")
    #expect(roster.add(user, on: 3) == true)
    let page = roster.page(after: 0, limit: 9)
    #expect(roster.add(user, on: 1) == false)
    #expect(roster.add(user, on: 1) == false)
    #expect(roster.count == 1 && roster.servers(of: "ann") == [3, 1])
    #expect(roster.count(outside: 3) == 0 && roster.count(outside: 2) == 1)
    #expect(roster.remove("ann", from: 3) == nil)
    #expect(roster.servers(of: "ann") == [1] && roster.contains("ann", on: 1))
    #expect(roster.page(after: 0, limit: 9).map(\.number) == page.map(\.number))
    #expect(roster.remove("ann", from: 3) == nil)
    #expect(roster.remove("ann", from: 1) == user)
    #expect(roster.count == 0 && roster.count(outside: 0) == 0)
  }

  @Test("random entries and exits match a simple list", arguments: UInt64(1)...20)
  func agreesWithAList(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var comparison = RosterComparison()
    for _ in 0..<800 { comparison.step(using: &generator) }
  }
}

/// A roster beside a list in the order in which the users entered.
private struct RosterComparison {
  private var roster = ChannelRoster()
  private var expected: [(user: User, servers: [UInt16])] = []

  mutating func step(using generator: inout SeededGenerator) {
    let id = "user-\(Int.random(in: 0..<20, using: &generator))"
    let server = UInt16.random(in: 0..<4, using: &generator)
    let index = expected.firstIndex { $0.user.id == id }
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<10:
      let user = User(id: id, nickname: "\(Int.random(in: 0..<9, using: &generator))")
      #expect(roster.add(user, on: server) == (index == nil))
      guard let index else {
        expected.append((user, [server]))
        break
      }
      expected[index].user = user
      if !expected[index].servers.contains(server) { expected[index].servers.append(server) }
    case 10..<18:
      let isLast = index.map { expected[$0].servers == [server] } ?? false
      let user = index.map { expected[$0].user }
      #expect(roster.remove(id, from: server) == (isLast ? user : nil))
      if let index { expected[index].servers.removeAll { $0 == server } }
      expected.removeAll { $0.servers.isEmpty }
    case 18 where generator.oneIn(20):
      #expect(roster.removeAll().count == expected.count)
      expected = []
    default:
      #expect(roster.remove(id) == index.map { expected[$0].user })
      if let index { expected.remove(at: index) }
    }
    check(after: expected.count / 2)
  }

  private func check(after position: Int) {
    #expect(roster.count == expected.count)
    for server in UInt16(0)..<4 {
      let here = expected.filter { $0.servers.contains(server) }.map(\.user.id)
      #expect(Set(roster.userIDs(on: server)) == Set(here))
      #expect(roster.count(outside: server) == expected.count - here.count)
    }
    for (user, servers) in expected {
      #expect(roster.servers(of: user.id) == servers)
      #expect(servers.allSatisfy { roster.contains(user.id, on: $0) })
    }
    let all = roster.page(after: 0, limit: .max)
    #expect(all.map(\.user) == expected.map(\.user))
    guard position > 0 else { return }
    let rest = roster.page(after: all[position - 1].number, limit: 3)
    #expect(rest.map(\.user) == expected.dropFirst(position).prefix(3).map(\.user))
  }
}
