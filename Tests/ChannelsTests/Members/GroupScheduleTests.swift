import TestSupport
import Testing

@testable import Channels

@Suite("A group on several servers")
struct GroupScheduleTests {
  @Test(
    "sends every ready connection of its members every event, in order, once", arguments: 0..<40)
  func schedules(batch: Int) {
    for number in 0..<50 {
      let seed = UInt64(batch * 50 + number)
      var random = SeededGenerator(seed: seed)
      let world = GroupWorld()
      for _ in 0..<160 { step(world, &random) }
      var rounds = 0
      repeat {
        rounds += 1
        while world.busyLinkCount > 0 { world.deliver(.random(in: 0..<1_000, using: &random)) }
      } while world.renew() && rounds < 20
      #expect(rounds < 20, "sessions are added again and again, seed \(seed)")
      for connection in world.connections { check(connection, in: world, seed) }
    }
  }

  private func step(_ world: GroupWorld, _ random: inout SeededGenerator) {
    let servers = world.serverNumbers
    func server() -> UInt16 { servers.randomElement(using: &random) ?? 0 }
    func user() -> String { ["a", "b", "c", "d"].randomElement(using: &random) ?? "a" }
    switch Int.random(in: 0..<1_000, using: &random) {
    case ..<540:
      if world.busyLinkCount > 0 { world.deliver(.random(in: 0..<1_000, using: &random)) }
    case ..<548: world.askAgain(server())
    case ..<550: _ = world.renew()
    case ..<740: world.commit(.send)
    case ..<790: world.commit(.join(user()))
    case ..<820: world.commit(.leave(user()))
    case ..<890: world.open(user(), on: server())
    case ..<925:
      if let connection = world.connections.filter(\.isOpen).randomElement(using: &random) {
        world.close(connection)
      }
    case ..<945: world.unload()
    case ..<965: world.sweep(server())
    case ..<975: world.move(to: server())
    case ..<985: world.cut(server(), server())
    case ..<990:
      // Two hours at most, forwards or back.
      world.servers[server()]?.clockError = .random(in: -7_200_000...7_200_000, using: &random)
    default:
      guard Bool.random(using: &random) else {
        return world.kill(server(), nextHome: server())
      }
      world.commit(.send, isTold: Bool.random(using: &random))
      world.kill(world.homeServer, nextHome: server())
    }
  }

  private func check(_ connection: SimulatedMember, in world: GroupWorld, _ seed: UInt64) {
    let received = connection.received
    #expect(
      zip(received, received.dropFirst()).allSatisfy { $0 < $1 },
      "twice or out of order, seed \(seed), \(connection.userID): \(received)")
    guard connection.isOpen, let base = connection.base else { return }
    let expected = world.log.filter { entry in
      entry.event.seq > base && entry.recipients.contains(connection.userID)
    }.map(\.event.seq)
    #expect(
      received.filter { $0 > base } == expected,
      "missed, seed \(seed), \(connection.userID) after \(base): \(received), not \(expected)")
  }
}
