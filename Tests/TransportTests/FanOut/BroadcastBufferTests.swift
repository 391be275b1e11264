import Reactor
import Testing
import HTTP

@testable import Transport

@Suite("BroadcastBuffer")
struct BroadcastBufferTests {
  @Test("every subscriber gets the bytes published while it is subscribed")
  func delivers() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let early = try driven.open()
    let late = try driven.open()
    let subscription = broadcast.subscribe(early.connection)
    broadcast.publish([1], except: [])
    _ = broadcast.subscribe(late.connection)
    broadcast.publish([2, 3], except: [])
    broadcast.cancel(subscription)
    broadcast.publish([4], except: [])
    driven.settle()
    #expect(early.readAll() == [1, 2, 3])
    #expect(late.readAll() == [2, 3, 4])
    #expect(broadcast.subscriberCount == 1)
  }

  @Test("a burst costs one write per subscriber")
  func joinsBursts() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peers = try (0..<3).map { _ in try driven.open() }
    for peer in peers { _ = broadcast.subscribe(peer.connection) }
    let before = driven.transport.counters.writes
    for byte in UInt8(0)..<100 { broadcast.publish([byte], except: []) }
    driven.settle()
    #expect(driven.transport.counters.writes == before + 3)
    for peer in peers { #expect(peer.readAll() == Array(0..<100)) }
  }

  @Test("excepted subscribers get their own bytes instead of the common ones")
  func makesExceptions() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peers = try (0..<3).map { _ in try driven.open() }
    let subscriptions = peers.map { broadcast.subscribe($0.connection) }
    broadcast.publish([1], except: [])
    broadcast.publish([2], except: [(subscriptions[0], [9]), (subscriptions[1], [])])
    broadcast.publish([3], except: [])
    driven.settle()
    #expect(peers.map { $0.readAll() } == [[1, 9, 3], [1, 3], [1, 2, 3]])
  }

  @Test("when all subscribers are excepted the common bytes are not sent")
  func makesOnlyExceptions() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peer = try driven.open()
    let subscription = broadcast.subscribe(peer.connection)
    broadcast.publish([1], except: [(subscription, [2])])
    broadcast.publish([3], except: [])
    driven.settle()
    #expect(peer.readAll() == [2, 3])
  }

  @Test("a sweep makes no more writes than its budget, and continues where it stopped")
  func keepsToTheBudget() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peers = try (0..<5).map { _ in try driven.open() }
    for peer in peers { _ = broadcast.subscribe(peer.connection) }
    broadcast.publish([1], except: [])
    var budget = 2
    #expect(!broadcast.sweep(budget: &budget))
    #expect(budget == 0)
    #expect(peers.map { $0.readAll().count } == [1, 1, 0, 0, 0])
    broadcast.publish([2], except: [])
    budget = 6
    #expect(broadcast.sweep(budget: &budget))
    #expect(budget == 1)
    #expect(peers.map { $0.readAll() } == [[2], [2], [1, 2], [1, 2], [1, 2]])
  }

  @Test("a constantly busy broadcast buffer frees bytes that all subscribers have received")
  func staysSmall() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peer = try driven.open()
    // More places than one flush serves: the sweep is always under way at the next publish.
    for _ in 0..<300 { _ = broadcast.subscribe(peer.connection) }
    var received = 0
    for _ in 0..<50 {
      broadcast.publish([UInt8](repeating: 1, count: 100), except: [])
      #expect(driven.transport.flush() == .unfinished)
      received += peer.drainOnce()
    }
    let buffer = Mirror(reflecting: broadcast).children.first { $0.label == "buffer" }?.value
    #expect(try #require(buffer as? [UInt8]).count < 1000)
    received += peer.drain(driven).count
    #expect(received == 50 * 100 * 300)
  }

  @Test("a constantly busy broadcast buffer does not starve others")
  func takesTurns() throws {
    let driven = try DrivenTransport()
    let broadcasts = (0..<3).map { _ in
      BroadcastBuffer(encoding: .plain, transport: driven.transport)
    }
    let peers = try broadcasts.map { _ in try driven.open() }
    for (broadcast, peer) in zip(broadcasts, peers) {
      for _ in 0..<300 { _ = broadcast.subscribe(peer.connection) }
    }
    var received = [0, 0, 0]
    for _ in 0..<6 {
      for broadcast in broadcasts { broadcast.publish([1], except: []) }
      _ = driven.transport.flush()
      for (index, peer) in peers.enumerated() { received[index] += peer.drainOnce() }
    }
    #expect(!received.contains(0), "\(received)")
  }

  @Test("a subscriber that reads too slowly is closed with 4004; the others are still served")
  func closesSlowConsumers() throws {
    var configuration = TransportConfiguration()
    configuration.outboundBytes = 20_000
    let driven = try DrivenTransport(configuration)
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let (slow, fast) = (try driven.open(), try driven.open())
    slow.shrinkBuffer()
    let application = try slow.application
    let subscription = broadcast.subscribe(slow.connection)
    application.onClose = { broadcast.cancel(subscription) }
    _ = broadcast.subscribe(fast.connection)
    var published: [UInt8] = []
    var received: [UInt8] = []
    for number in UInt8(0)..<100 {
      let frame = serverFrame(.binary, [UInt8](repeating: number, count: 1000))
      published += frame
      broadcast.publish(frame, except: [])
      driven.settle()
      received += fast.readAll()
    }
    #expect(received == published)
    #expect(application.reasons == [.closed(.slowConsumer)])
    #expect(driven.transport.counters.slowConsumers == 1)
    #expect(broadcast.subscriberCount == 1)
    let last = serverClose(.slowConsumer, "too much is waiting to be written")
    let slowBytes = slow.drain(driven)
    #expect(slowBytes.suffix(last.count) == last[...])
    #expect(published.starts(with: slowBytes.dropLast(last.count)))
  }

  @Test("a closed subscriber does not disturb the sweep")
  func survivesLostSubscribers() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peers = try (0..<4).map { _ in try driven.open() }
    for peer in peers {
      let subscription = broadcast.subscribe(peer.connection)
      try peer.application.onClose = { broadcast.cancel(subscription) }
    }
    let lost = try peers[1].application
    peers[1].close()
    broadcast.publish([1], except: [])
    driven.settle()
    broadcast.publish([2], except: [])
    driven.settle()
    #expect(lost.reasons == [.lost])
    #expect(broadcast.subscriberCount == 3)
    #expect(driven.transport.connectionCount == 3)
    for index in [0, 2, 3] { #expect(peers[index].readAll() == [1, 2]) }
  }

  @Test("no remaining bytes of a broadcast buffer follow the close frame")
  func owesNothingAfterTheClose() throws {
    let driven = try DrivenTransport()
    let broadcast = BroadcastBuffer(encoding: .plain, transport: driven.transport)
    let peer = try driven.open()
    let subscription = broadcast.subscribe(peer.connection)
    try peer.application.onClose = { broadcast.cancel(subscription) }
    broadcast.publish(serverText("owed"), except: [])
    peer.connection.close(.normalClosure)
    driven.settle()
    #expect(peer.readAll() == serverClose(.normalClosure))
  }
}

extension DrivenPeer {
  /// Reads what is there, then lets the connection write once more.
  fileprivate func drainOnce() -> Int {
    let count = readAll().count
    connection.descriptorIsReady(for: .writable)
    return count + readAll().count
  }
}
