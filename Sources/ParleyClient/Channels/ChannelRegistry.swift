internal import Synchronization

/// Keeps one object for each channel that the client knows.
///
/// Entered channels are retained, so that their delegates receive events even after the application
/// has released the object. Other channels are referenced weakly.
final class ChannelRegistry: Sendable {
  private struct Entry {
    weak var channel: OpenChannel?
    /// A strong reference to the channel while the client is in it.
    var entered: OpenChannel?
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Returns the channel's object, created by `make` if there is none.
  func channel(_ url: String, _ make: () -> OpenChannel) -> OpenChannel {
    if let channel = known(url) { return channel }
    let made = make()
    // Another thread may have created one first; then this one is released after the lock.
    return entries.withLock {
      if let channel = $0[url]?.channel { return channel }
      $0[url] = Entry(channel: made)
      return made
    }
  }

  /// Returns the channel's object if there is one.
  func known(_ url: String) -> OpenChannel? {
    entries.withLock { $0[url]?.channel }
  }

  /// Retains a channel that was entered.
  func enter(_ channel: OpenChannel) {
    entries.withLock { $0[channel.url] = Entry(channel: channel, entered: channel) }
  }

  /// Releases a channel that was left.
  func exit(_ url: String) {
    // The last reference must be released outside of the lock: `forget` takes the lock too.
    let held = entries.withLock { entries in
      defer { entries[url]?.entered = nil }
      return entries[url]?.entered
    }
    withExtendedLifetime(held) {}
  }

  /// Returns whether the client is in a channel.
  func isEntered(_ url: String) -> Bool {
    entries.withLock { $0[url]?.entered != nil }
  }

  /// Releases all channels.
  func exitAll() {
    let held = entries.withLock { entries in
      let held = entries.values.compactMap(\.entered)
      for url in entries.keys { entries[url]?.entered = nil }
      return held
    }
    withExtendedLifetime(held) {}
  }

  /// Removes the entry of a channel whose object was deallocated.
  func forget(_ url: String) {
    // Reading a weak reference retains the object for that moment. If this were the last reference
    // and were released inside the lock, `deinit` would call this method again.
    let living = entries.withLock { entries in
      let living = entries[url]?.channel
      if living == nil { entries[url] = nil }
      return living
    }
    withExtendedLifetime(living) {}
  }
}

/// A change of a channel's state by an event or a response.
enum SnapshotChange: Sendable, Hashable {
  case replaced(ChannelSnapshot)
  case operators([User])
  case participantCount(Int)

  func apply(to snapshot: inout ChannelSnapshot) {
    switch self {
    case .replaced(let newer): snapshot = newer
    case .operators(let operators): snapshot.operators = operators
    case .participantCount(let count): snapshot.participantCount = count
    }
  }
}
