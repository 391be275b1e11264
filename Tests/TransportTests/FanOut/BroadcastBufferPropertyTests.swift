import Reactor
import TestSupport
import Testing
import HTTP

@testable import Transport

@Suite("BroadcastBuffer under random traffic")
struct BroadcastBufferPropertyTests {
  @Test(
    "each subscriber receives exactly the bytes addressed to it, in order",
    arguments: UInt64(1)...20, [true, false])
  func agreesWithNaiveDelivery(seed: UInt64, gathersSystemCalls: Bool) throws {
    var generator = SeededGenerator(seed: seed)
    var configuration = TransportConfiguration()
    configuration.gathersSystemCalls = gathersSystemCalls
    let comparison = try FeedComparison(configuration, using: &generator)
    for _ in 0..<400 { try comparison.step(using: &generator) }
    comparison.finish()
  }
}

/// A broadcast buffer beside what each peer should receive.
private final class FeedComparison {
  private final class Member {
    let peer: DrivenPeer
    var subscription: Subscription?
    var expected: [UInt8] = []
    var received: [UInt8] = []

    init(_ peer: DrivenPeer) {
      self.peer = peer
    }
  }

  private let driven: DrivenTransport
  private let broadcast: BroadcastBuffer
  private var members: [Member] = []
  private var lost: [Member] = []
  private var nextByte: UInt8 = 0

  init(_ configuration: TransportConfiguration, using generator: inout SeededGenerator) throws {
    driven = try DrivenTransport(configuration)
    broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    for _ in 0..<Int.random(in: 1...24, using: &generator) { try connect(using: &generator) }
  }

  func step(using generator: inout SeededGenerator) throws {
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<6: publish(using: &generator)
    case 6..<8: join(using: &generator)
    case 8..<10: leave(using: &generator)
    case 10..<14:
      var budget = Int.random(in: 0...16, using: &generator)
      _ = broadcast.sweep(budget: &budget)
    case 14: sendDirectly(using: &generator)
    case 15: _ = driven.transport.flush()
    case 16 where members.count > 2: lose(using: &generator)
    case 16: try connect(using: &generator)
    default: read(using: &generator)
    }
  }

  /// Lets everything arrive.
  func finish() {
    driven.settle()
    for (index, member) in members.enumerated() {
      member.received += member.peer.drain(driven)
      #expect(member.received == member.expected, "peer \(index)")
    }
    let subscribed = members.count { $0.subscription != nil }
    #expect(broadcast.subscriberCount == subscribed)
    for member in lost { #expect(member.expected.starts(with: member.received)) }
  }

  private func connect(using generator: inout SeededGenerator) throws {
    let member = Member(try driven.open())
    if Bool.random(using: &generator) { member.peer.shrinkBuffer() }
    try member.peer.application.onClose = { [unowned self, unowned member] in
      if let subscription = member.subscription { broadcast.cancel(subscription) }
      member.subscription = nil
    }
    members.append(member)
  }

  private func lose(using generator: inout SeededGenerator) {
    let member = members.remove(at: Int.random(in: members.indices, using: &generator))
    member.received += member.peer.readAll()
    lost.append(member)
    member.peer.close()
    // The end is seen by reading, or only when a write fails.
    if Bool.random(using: &generator) {
      member.peer.connection.descriptorIsReady(for: .readable)
    } else {
      driven.settle()
      member.peer.connection.descriptorIsReady(for: .readable)
    }
  }

  private func publish(using generator: inout SeededGenerator) {
    let common = frames(using: &generator)
    var exceptions: [(subscription: Subscription, frames: [UInt8])] = []
    let share = Double.random(in: 0...1, using: &generator)
    for member in members {
      guard let subscription = member.subscription else { continue }
      guard Double.random(in: 0..<1, using: &generator) < share * share * share else {
        member.expected += common
        continue
      }
      let own = Bool.random(using: &generator) ? frames(using: &generator) : []
      exceptions.append((subscription, own))
      member.expected += own
    }
    broadcast.publish(common, except: exceptions)
  }

  private func join(using generator: inout SeededGenerator) {
    guard let member = members.randomElement(using: &generator), member.subscription == nil
    else { return }
    member.subscription = broadcast.subscribe(member.peer.connection)
  }

  private func leave(using generator: inout SeededGenerator) {
    guard let member = members.randomElement(using: &generator),
      let subscription = member.subscription
    else { return }
    broadcast.cancel(subscription)
    broadcast.cancel(subscription)
    member.subscription = nil
  }

  private func sendDirectly(using generator: inout SeededGenerator) {
    guard let member = members.randomElement(using: &generator), member.subscription == nil
    else { return }
    let bytes = frames(using: &generator)
    member.peer.connection.send(frames: bytes)
    member.expected += bytes
  }

  private func read(using generator: inout SeededGenerator) {
    guard let member = members.randomElement(using: &generator) else { return }
    member.received += member.peer.read(upTo: Int.random(in: 1...6000, using: &generator))
    member.peer.connection.descriptorIsReady(for: .writable)
  }

  /// Bytes of which no two runs look alike.
  private func frames(using generator: inout SeededGenerator) -> [UInt8] {
    let count = Int.random(in: 0..<10, using: &generator) == 0 ? 5000 : 20
    return (0..<Int.random(in: 0...count, using: &generator)).map { _ in
      nextByte &+= 1
      return nextByte
    }
  }
}
