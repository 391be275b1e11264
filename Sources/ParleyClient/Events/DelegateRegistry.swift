internal import ClientTransport

/// The delegates of a client by their identifiers, held weakly.
final class DelegateRegistry: Sendable {
  private struct State {
    var channel: [String: ChannelEntry] = [:]
    var group: [String: GroupEntry] = [:]
    var connection: [String: ConnectionEntry] = [:]
  }

  private struct ChannelEntry: DelegateEntry {
    weak var delegate: (any OpenChannelDelegate)?
  }

  private struct GroupEntry: DelegateEntry {
    weak var delegate: (any GroupChannelDelegate)?
  }

  private struct ConnectionEntry: DelegateEntry {
    weak var delegate: (any ConnectionDelegate)?
  }

  private let state = Locked(State())

  func add(_ delegate: any OpenChannelDelegate, identifier: String) {
    state.withLock { $0.channel[identifier] = ChannelEntry(delegate: delegate) }
  }

  func add(_ delegate: any GroupChannelDelegate, identifier: String) {
    state.withLock { $0.group[identifier] = GroupEntry(delegate: delegate) }
  }

  func add(_ delegate: any ConnectionDelegate, identifier: String) {
    state.withLock { $0.connection[identifier] = ConnectionEntry(delegate: delegate) }
  }

  func removeChannelDelegate(identifier: String) {
    state.withLock { _ = $0.channel.removeValue(forKey: identifier) }
  }

  func removeGroupDelegate(identifier: String) {
    state.withLock { _ = $0.group.removeValue(forKey: identifier) }
  }

  func removeConnectionDelegate(identifier: String) {
    state.withLock { _ = $0.connection.removeValue(forKey: identifier) }
  }

  /// Whether there are no delegates.
  var isEmpty: Bool {
    state.withLock { $0.channel.isEmpty && $0.group.isEmpty && $0.connection.isEmpty }
  }

  /// Calls the method for an event, on all delegates in the order of their identifiers.
  func tell(_ event: ParleyEvent) {
    switch event {
    case .connection(let event):
      for delegate in connectionDelegates { delegate.tell(event) }
    case .channel(let channel, let event):
      for delegate in channelDelegates { delegate.tell(event, in: channel) }
    case .group(let channel, let event):
      for delegate in groupDelegates { delegate.tell(event, in: channel) }
    case .mentioned(let message):
      for delegate in channelDelegates { delegate.currentUserWasMentioned(in: message) }
    case .unreadTotalsChanged(let totals):
      for delegate in groupDelegates { delegate.didChangeUnreadTotals(totals) }
    case .dropped(let count):
      for delegate in allChannelDelegates { delegate.eventsWereDropped(count: count) }
    }
  }

  // The strong references are released outside of the lock: if one is the last, the delegate's
  // `deinit` runs application code, which may call this registry again.

  private var channelDelegates: [any OpenChannelDelegate] {
    state.withLock { Self.living(&$0.channel) }
  }

  private var groupDelegates: [any GroupChannelDelegate] {
    state.withLock { Self.living(&$0.group) }
  }

  private var connectionDelegates: [any ConnectionDelegate] {
    state.withLock { Self.living(&$0.connection) }
  }

  /// The delegates of channels of all kinds, each once.
  private var allChannelDelegates: [any BaseChannelDelegate] {
    var seen: Set<ObjectIdentifier> = []
    return (channelDelegates as [any BaseChannelDelegate] + groupDelegates).filter {
      seen.insert(ObjectIdentifier($0)).inserted
    }
  }

  /// Returns the delegates in the order of their identifiers, and removes the deallocated ones.
  private static func living<Entry: DelegateEntry>(
    _ entries: inout [String: Entry]
  ) -> [Entry.Delegate] {
    var living: [(identifier: String, delegate: Entry.Delegate)] = []
    for (identifier, entry) in entries {
      if let delegate = entry.delegate {
        living.append((identifier, delegate))
      } else {
        entries[identifier] = nil
      }
    }
    return living.sorted { $0.identifier < $1.identifier }.map(\.delegate)
  }
}

/// A delegate, held weakly.
private protocol DelegateEntry {
  associatedtype Delegate
  var delegate: Delegate? { get }
}

/// A weak reference to an object.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let value: Object?

  init(_ value: Object) {
    self.value = value
  }
}
