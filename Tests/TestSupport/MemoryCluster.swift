package import Cluster
import Dispatch
import Synchronization

/// Several servers of a cluster in one process, whose messages a test can hold back or lose.
///
/// Links behave as the real ones: what is sent arrives once and in order, or the link is reset at
/// both ends.
package final class MemoryCluster: Sendable {
  /// Who carries messages to their receivers.
  package enum Delivery: Sendable {
    /// A thread of each server.
    case automatic
    /// The test, by ``MemoryCluster/deliver()``.
    case byHand
  }

  private struct Pair: Hashable {
    let sender: ServerID
    let receiver: ServerID
  }

  private struct State {
    var networks: [MemoryNetwork] = []
    var draining: Set<ServerID> = []
    /// Messages that wait while the way is cut.
    var held: [Pair: [[UInt8]]] = [:]
    var cuts: Set<Pair> = []
    var joined: UInt64 = 0
  }

  private let delivery: Delivery
  private let state = Mutex(State())

  package init(_ delivery: Delivery = .automatic) { self.delivery = delivery }

  /// Adds a live server: all learn of it and have a new link with it.
  package func join(_ name: String) -> MemoryNetwork {
    state.withLock { state in
      state.joined += 1
      let member = ClusterMember(
        id: ServerID(rawValue: state.joined &* 0x9e37_79b9_7f4a_7c15),
        slot: UInt16(state.joined % 256), name: name)
      let network = MemoryNetwork(
        member, of: self, queue: delivery == .automatic ? DispatchQueue(label: name) : nil)
      let others = state.networks
      state.networks.append(network)
      Self.publishRing(state)
      for other in others {
        other.take(.reset(member.id))
        network.take(.reset(other.local.id))
      }
      return network
    }
  }

  /// Removes a server as a crash does: nothing of it arrives any more.
  package func kill(_ network: MemoryNetwork) {
    state.withLock { state in
      let id = network.local.id
      network.end()
      state.networks.removeAll { $0 === network }
      for other in state.networks { other.forget(messagesFrom: id) }
      state.held = state.held.filter { $0.key.sender != id && $0.key.receiver != id }
      Self.publishRing(state)
    }
  }

  /// Makes a server a home no longer.
  package func drain(_ network: MemoryNetwork) {
    state.withLock { state in
      state.draining.insert(network.local.id)
      Self.publishRing(state)
    }
  }

  /// Holds back what one server sends another, until ``heal(from:to:)``.
  package func cut(from sender: MemoryNetwork, to receiver: MemoryNetwork) {
    state.withLock {
      _ = $0.cuts.insert(Pair(sender: sender.local.id, receiver: receiver.local.id))
    }
  }

  /// Delivers what was held back, and what follows.
  package func heal(from sender: MemoryNetwork, to receiver: MemoryNetwork) {
    let pair = Pair(sender: sender.local.id, receiver: receiver.local.id)
    state.withLock { state in
      state.cuts.remove(pair)
      for message in state.held.removeValue(forKey: pair) ?? [] {
        receiver.take(.message(message, pair.sender))
      }
    }
  }

  /// Resets a link: what is under way in both directions is lost.
  ///
  /// Cuts stay.
  package func reset(_ one: MemoryNetwork, _ other: MemoryNetwork) {
    state.withLock { state in
      for (sender, receiver) in [(one, other), (other, one)] {
        let id = sender.local.id
        state.held[Pair(sender: id, receiver: receiver.local.id)] = nil
        receiver.forget(messagesFrom: id)
        receiver.take(.reset(id))
      }
    }
  }

  /// Carries all that waits to its receivers, and what they send meanwhile, on the test's thread.
  ///
  /// - Returns: The number of messages and other events.
  @discardableResult
  package func deliver() -> Int {
    var count = 0
    while true {
      let delivered = state.withLock(\.networks).reduce(0) { $0 + $1.deliver() }
      guard delivered > 0 else { return count }
      count += delivered
    }
  }

  func send(_ message: [UInt8], from sender: ServerID, to receiver: ServerID) {
    let pair = Pair(sender: sender, receiver: receiver)
    state.withLock { state in
      guard sender != receiver, state.networks.contains(where: { $0.local.id == sender }),
        let network = state.networks.first(where: { $0.local.id == receiver })
      else { return }
      if state.cuts.contains(pair) {
        state.held[pair, default: []].append(message)
      } else {
        network.take(.message(message, sender))
      }
    }
  }

  private static func publishRing(_ state: borrowing State) {
    let members = state.networks.map(\.local)
    guard !members.isEmpty else { return }
    let draining = state.draining
    let ring = ServerRing(
      live: members.filter { !draining.contains($0.id) },
      draining: members.filter { draining.contains($0.id) })
    for network in state.networks { network.take(.ring(ring)) }
  }
}

/// One server's network in a ``MemoryCluster``.
package final class MemoryNetwork: ClusterNetwork {
  enum Event: Sendable {
    case message([UInt8], ServerID)
    case reset(ServerID)
    case ring(ServerRing)
    case leave(String)
  }

  private struct State {
    var ring: ServerRing
    var delegate: (any ClusterDelegate)?
    var events: [Event] = []
    var isEnded = false
  }

  package let local: ClusterMember
  private let cluster: MemoryCluster
  private let queue: DispatchQueue?
  private let state: Mutex<State>

  init(_ local: ClusterMember, of cluster: MemoryCluster, queue: DispatchQueue?) {
    self.local = local
    self.cluster = cluster
    self.queue = queue
    state = Mutex(State(ring: ServerRing(live: [local])))
  }

  /// Begins to deliver, with what has come before.
  package func start(_ delegate: any ClusterDelegate) {
    state.withLock { $0.delegate = delegate }
    queue?.async { _ = self.deliver() }
  }

  package var ring: ServerRing { state.withLock(\.ring) }

  package func send(_ message: [UInt8], to server: ServerID) {
    cluster.send(message, from: local.id, to: server)
  }

  /// Tells the server to end, as the cluster does.
  package func mustLeave(reason: String) { take(.leave(reason)) }

  /// Waits until the delegate has taken all that has come so far.
  package func settle() { queue?.sync {} }

  func take(_ event: Event) {
    state.withLock { state in
      guard !state.isEnded else { return }
      // The ring is the new one before the delegate is called.
      if case .ring(let ring) = event { state.ring = ring }
      state.events.append(event)
    }
    queue?.async { _ = self.deliver() }
  }

  func forget(messagesFrom sender: ServerID) {
    state.withLock { state in
      state.events.removeAll { event in
        if case .message(_, sender) = event { true } else { false }
      }
    }
  }

  func end() {
    state.withLock { state in
      state.isEnded = true
      state.events = []
      state.delegate = nil
    }
  }

  /// Calls the delegate with the events that wait.
  func deliver() -> Int {
    var count = 0
    while let (event, delegate) = next() {
      count += 1
      switch event {
      case .message(let message, let sender): delegate.received(message, from: sender)
      case .reset(let peer): delegate.linkWasReset(with: peer, count: 0)
      case .ring(let ring): delegate.ringDidChange(ring)
      case .leave(let reason): delegate.mustLeave(reason: reason)
      }
      delegate.didReceiveAll()
    }
    return count
  }

  private func next() -> (Event, any ClusterDelegate)? {
    state.withLock { state in
      guard let delegate = state.delegate, !state.events.isEmpty else { return nil }
      return (state.events.removeFirst(), delegate)
    }
  }
}
