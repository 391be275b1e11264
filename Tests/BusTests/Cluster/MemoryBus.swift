import Bus
import Reactor
import Synchronization

/// A broker in memory, with the faults of real ones.
final class MemoryBroker: Sendable {
  private struct State {
    var listeners: [(inbox: Inbox, mailbox: Mailbox<BusEvent>, owner: Int)] = []
    var isDown = false
    var deaf: Set<Int> = []
    /// One in this number of messages to a server's own inbox is lost; 0 for none.
    var lossInterval = 0
    var count = 0
    var owners = 0
  }

  private let state = Mutex(State())

  /// Makes the bus of a server, the first of which has the number 0.
  var maker: BusMaker {
    { loop, inboxes, handler in
      let mailbox = try Mailbox<BusEvent>()
      let owner = self.state.withLock { state in
        for inbox in inboxes { state.listeners.append((inbox, mailbox, state.owners)) }
        defer { state.owners += 1 }
        return state.owners
      }
      mailbox.post(.up)
      return try MemoryBus(loop, mailbox, self, owner, handler)
    }
  }

  /// Loses all messages from now on, or no more.
  func setDown(_ isDown: Bool) { state.withLock { $0.isDown = isDown } }

  /// Loses the messages to a server from now on, or no more.
  func setDeaf(_ owner: Int, _ isDeaf: Bool) {
    state.withLock { state in
      if isDeaf { state.deaf.insert(owner) } else { state.deaf.remove(owner) }
    }
  }

  /// Loses one in `interval` messages; 0 for none.
  func lose(oneIn interval: Int) { state.withLock { $0.lossInterval = interval } }

  fileprivate func send(_ message: [UInt8], to inbox: Inbox) {
    state.withLock { state in
      guard !state.isDown else { return }
      for listener in state.listeners where listener.inbox == inbox {
        guard !state.deaf.contains(listener.owner) else { continue }
        state.count += 1
        if state.lossInterval > 0, state.count % state.lossInterval == 0 { continue }
        listener.mailbox.post(.message(message))
      }
    }
  }

  fileprivate func remove(_ owner: Int) {
    state.withLock { $0.listeners.removeAll { $0.owner == owner } }
  }
}

/// A server's door to a ``MemoryBroker``.
private final class MemoryBus: Bus, ReadinessHandler {
  let messageByteLimit = 6_000
  private let loop: EventLoop
  private let mailbox: Mailbox<BusEvent>
  private let broker: MemoryBroker
  private let owner: Int
  private let handler: BusHandler
  private var registration: EventLoop.Registration?

  init(
    _ loop: EventLoop, _ mailbox: Mailbox<BusEvent>, _ broker: MemoryBroker, _ owner: Int,
    _ handler: @escaping BusHandler
  ) throws {
    self.loop = loop
    self.mailbox = mailbox
    self.broker = broker
    self.owner = owner
    self.handler = handler
    registration = try loop.register(mailbox.descriptor, for: .readable, handler: self)
  }

  func send(_ message: [UInt8], to inbox: Inbox) { broker.send(message, to: inbox) }

  func flush() {}

  func close() {
    broker.remove(owner)
    if let registration { loop.deregister(registration) }
    registration = nil
  }

  func descriptorIsReady(for readiness: Readiness) {
    mailbox.acknowledge()
    for event in mailbox.takeAll(reusing: []) { handler(event) }
  }
}
