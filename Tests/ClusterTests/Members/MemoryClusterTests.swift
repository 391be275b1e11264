import Cluster
import Synchronization
import TestSupport
import Testing

@Suite("An in-memory cluster")
struct MemoryClusterTests {
  @Test("delivers in order, holds messages on a cut link, and loses them by a reset at both ends")
  func faults() {
    let cluster = MemoryCluster(.byHand)
    let (a, b) = (cluster.join("a"), cluster.join("b"))
    let (atA, atB) = (RecordingDelegate(), RecordingDelegate())
    a.start(atA)
    b.start(atB)
    cluster.deliver()
    #expect(a.ring == b.ring && a.ring.members.count == 2)
    #expect(atA.take() == ["ring 1", "ring 2", "reset b"].map { $0.with(a, b) })
    #expect(atB.take() == ["ring 2", "reset a"].map { $0.with(a, b) })

    a.send([1], to: b.local.id)
    cluster.cut(from: a, to: b)
    a.send([2], to: b.local.id)
    cluster.deliver()
    #expect(atB.take() == ["[1] a".with(a, b)])
    cluster.heal(from: a, to: b)
    a.send([3], to: b.local.id)
    cluster.deliver()
    #expect(atB.take() == ["[2] a", "[3] a"].map { $0.with(a, b) })

    a.send([4], to: b.local.id)
    cluster.reset(a, b)
    cluster.deliver()
    #expect(atA.take() == ["reset b".with(a, b)] && atB.take() == ["reset a".with(a, b)])

    cluster.kill(a)
    cluster.deliver()
    #expect(atB.take() == ["ring 1"])
    b.send([5], to: a.local.id)
    #expect(cluster.deliver() == 0 && atA.take() == [])
  }

  @Test("delivers on a thread of each server")
  func automatic() {
    let cluster = MemoryCluster()
    let (a, b) = (cluster.join("a"), cluster.join("b"))
    let atB = RecordingDelegate()
    b.start(atB)
    for number in 0..<100 { a.send([UInt8(number)], to: b.local.id) }
    b.settle()
    #expect(atB.take().suffix(100) == (0..<100).map { "[\($0)] a".with(a, b) }[...])
  }
}

extension String {
  /// The text with the servers' names replaced by their ids.
  fileprivate func with(_ a: MemoryNetwork, _ b: MemoryNetwork) -> String {
    hasSuffix(" a")
      ? dropLast() + a.local.id.description
      : hasSuffix(" b") ? dropLast() + b.local.id.description : self
  }
}

private final class RecordingDelegate: ClusterDelegate {
  private let events = Mutex<[String]>([])

  func take() -> [String] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }

  func received(_ message: [UInt8], from server: ServerID) { note("\(message) \(server)") }
  func linkWasReset(with server: ServerID, count: Int) { note("reset \(server)") }
  func ringDidChange(_ ring: ServerRing) { note("ring \(ring.members.count)") }
  func silenceDidChange(_ servers: Set<ServerID>) { note("silence \(servers.count)") }
  func mustLeave(reason: String) { note("leave \(reason)") }

  private func note(_ event: String) { events.withLock { $0.append(event) } }
}
