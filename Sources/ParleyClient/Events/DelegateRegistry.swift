internal import Synchronization

/// The delegates of a client by their identifiers, held weakly.
final class DelegateRegistry: Sendable {
  private struct State {
    var channel: [String: ChannelEntry] = [:]
    var connection: [String: ConnectionEntry] = [:]
  }

  private struct ChannelEntry {
    weak var delegate: (any OpenChannelDelegate)?
  }

  private struct ConnectionEntry {
    weak var delegate: (any ConnectionDelegate)?
  }

  private let state = Mutex(State())

  func add(_ delegate: any OpenChannelDelegate, identifier: String) {
    state.withLock { $0.channel[identifier] = ChannelEntry(delegate: delegate) }
  }

  func add(_ delegate: any ConnectionDelegate, identifier: String) {
    state.withLock { $0.connection[identifier] = ConnectionEntry(delegate: delegate) }
  }

  func removeChannelDelegate(identifier: String) {
    state.withLock { _ = $0.channel.removeValue(forKey: identifier) }
  }

  func removeConnectionDelegate(identifier: String) {
    state.withLock { _ = $0.connection.removeValue(forKey: identifier) }
  }

  /// Whether there are no delegates.
  var isEmpty: Bool {
    state.withLock { $0.channel.isEmpty && $0.connection.isEmpty }
  }

  /// Calls the method for an event, on all delegates in the order of their identifiers.
  func tell(_ event: ParleyEvent) {
    switch event {
    case .connection(let event):
      for delegate in connectionDelegates { delegate.tell(event) }
    case .channel(let channel, let event):
      for delegate in channelDelegates { delegate.tell(event, in: channel) }
    case .mentioned(let message):
      for delegate in channelDelegates { delegate.currentUserWasMentioned(in: message) }
    case .dropped(let count):
      for delegate in channelDelegates { delegate.eventsWereDropped(count: count) }
    }
  }

  // The strong references are released outside of the lock: if one is the last, the delegate's
  // `deinit` runs application code, which may call this registry again.

  private var channelDelegates: [any OpenChannelDelegate] {
    state.withLock { state in
      var living: [(identifier: String, delegate: any OpenChannelDelegate)] = []
      for (identifier, entry) in state.channel {
        if let delegate = entry.delegate {
          living.append((identifier, delegate))
        } else {
          state.channel[identifier] = nil
        }
      }
      return living.sorted { $0.identifier < $1.identifier }.map(\.delegate)
    }
  }

  private var connectionDelegates: [any ConnectionDelegate] {
    state.withLock { state in
      var living: [(identifier: String, delegate: any ConnectionDelegate)] = []
      for (identifier, entry) in state.connection {
        if let delegate = entry.delegate {
          living.append((identifier, delegate))
        } else {
          state.connection[identifier] = nil
        }
      }
      return living.sorted { $0.identifier < $1.identifier }.map(\.delegate)
    }
  }
}

/// A weak reference to an object.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let value: Object?

  init(_ value: Object) {
    self.value = value
  }
}
