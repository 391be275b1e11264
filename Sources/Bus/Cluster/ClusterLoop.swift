package import Cluster
internal import Crypto
internal import Dispatch
package import Reactor
internal import Synchronization

/// The network of a server: one thread for the bus and the links, and one that waits for the
/// registry.
package final class ClusterLoop: ClusterNetwork {
  package let local: ClusterMember
  /// The number of the deployment, stored once in its database.
  package var deployment: UInt64 { registry.place.deployment }
  private let mailbox: Mailbox<ClusterCommand>
  private let state: ClusterState
  private let registry: RegistryThread
  private let thread: Mutex<Thread?>

  /// Registers this server and starts its beats; ``start(_:)`` makes it a home.
  ///
  /// Waits for the registry's answer.
  package init(
    _ options: ClusterOptions, bus makeBus: @escaping BusMaker
  ) throws(ClusterError) {
    let id = SecureRandom.serverID()
    let registry: RegistryThread
    do throws(SystemError) {
      mailbox = try Mailbox()
    } catch {
      throw .system("\(error)")
    }
    let mailbox = mailbox
    registry = try RegistryThread(id, options) { mailbox.post(.registry($0)) }
    self.registry = registry
    local = registry.place.member
    let state = ClusterState(local)
    self.state = state
    let report = StartReport<ClusterError>()
    do throws(SystemError) {
      thread = Mutex(
        try Thread(name: "cluster") {
          ClusterThread.run(mailbox, registry, options, makeBus, state, report)
        })
    } catch {
      registry.post(.leave)
      throw .system("\(error)")
    }
    try report.wait(for: 1)
  }

  deinit { mailbox.post(.stop) }

  /// Starts to notify a delegate, first of the ring, and lets this server be a home.
  ///
  /// The caller must keep the delegate alive.
  package func start(_ delegate: any ClusterDelegate) { mailbox.post(.start(delegate)) }

  package func send(_ message: [UInt8], to server: ServerID) {
    mailbox.post(.send(message, server, knowing: nil))
  }

  package func enqueue(_ message: [UInt8], to server: ServerID, knowing resetCount: Int?) {
    mailbox.enqueue(.send(message, server, knowing: resetCount))
  }

  package func flush() { mailbox.wakeReceiver() }

  package var ring: ServerRing { state.ring }

  /// Milliseconds to add to this machine's steady clock to get the registry's Unix time; takes no lock.
  ///
  /// `nil` until the registry has answered a beat.
  package var clockOffset: Int64? { state.clockOffset }

  /// Counts and states, up to a fraction of a second old.
  package var figures: ClusterFigures { state.figures }

  /// Records whether the database accepts writes, and informs the other servers.
  package func storeDidChange(canWrite: Bool) { mailbox.post(.store(canWrite: canWrite)) }

  /// Publishes the settings of other options, against which servers that join are compared.
  package func adopt(_ options: ClusterOptions) { registry.post(.agree(options)) }

  /// Removes this server from the homes.
  package func drain() { mailbox.post(.drain) }

  /// Leaves the cluster and ends the threads; waits until the other servers can know, 3 s at most.
  package func stop() {
    mailbox.post(.leave)
    let thread = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    if let thread, !thread.isCurrent { thread.join() }
  }
}

/// A function that makes a bus on a loop, listening to inboxes and reporting its events.
package typealias BusMaker =
  @Sendable (EventLoop, _ inboxes: [Inbox], @escaping BusHandler) throws -> any Bus

/// A job for the cluster's thread.
enum ClusterCommand: Sendable {
  case send([UInt8], ServerID, knowing: Int?)
  case start(any ClusterDelegate)
  case drain
  case store(canWrite: Bool)
  case registry(RegistryThread.Answer)
  case leave
  case stop
}

/// The state of the cluster's thread that other threads read.
final class ClusterState: Sendable {
  private struct Values {
    var ring: ServerRing
    var figures = ClusterFigures()
  }

  /// The value for an unknown offset.
  private static let unknownOffset = Int64.min

  private let offset = Atomic(ClusterState.unknownOffset)
  private let values: Mutex<Values>

  init(_ local: ClusterMember) { values = Mutex(Values(ring: ServerRing(live: [local]))) }

  /// Milliseconds to add to the steady clock to get the registry's Unix time.
  var clockOffset: Int64? {
    get {
      let value = offset.load(ordering: .relaxed)
      return value == Self.unknownOffset ? nil : value
    }
    set { offset.store(newValue ?? Self.unknownOffset, ordering: .relaxed) }
  }

  var ring: ServerRing {
    get { values.withLock(\.ring) }
    set { values.withLock { $0.ring = newValue } }
  }

  var figures: ClusterFigures {
    get { values.withLock(\.figures) }
    set { values.withLock { $0.figures = newValue } }
  }
}

extension SecureRandom {
  /// An id that no earlier start of a server had; 0 stands for all servers.
  fileprivate static func serverID() -> ServerID {
    let number = bytes(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return ServerID(rawValue: max(number, 1))
  }
}
