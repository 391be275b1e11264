internal import Synchronization

/// The one object of each channel that a client knows.
///
/// Channels that are entered are kept, so that their delegates receive events even if the
/// application has let go of the object; others live as long as somebody holds them.
final class ChannelRegistry: Sendable {
  private struct Entry {
    weak var channel: OpenChannel?
    /// The same again while it is entered.
    var entered: OpenChannel?
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// The channel's object, which `make` makes if there is none.
  func channel(_ url: String, _ make: () -> OpenChannel) -> OpenChannel {
    if let channel = known(url) { return channel }
    let made = make()
    // Somebody else may have been quicker; then ours is let go after the lock.
    return entries.withLock {
      if let channel = $0[url]?.channel { return channel }
      $0[url] = Entry(channel: made)
      return made
    }
  }

  /// The channel's object if there is one.
  func known(_ url: String) -> OpenChannel? {
    entries.withLock { $0[url]?.channel }
  }

  /// Keeps a channel from now on.
  func enter(_ channel: OpenChannel) {
    entries.withLock { $0[channel.url] = Entry(channel: channel, entered: channel) }
  }

  /// Lets go of a channel that was entered.
  func exit(_ url: String) {
    // The last hold must be given up outside of the lock: `forget` takes it too.
    let held = entries.withLock { entries in
      defer { entries[url]?.entered = nil }
      return entries[url]?.entered
    }
    withExtendedLifetime(held) {}
  }

  /// Whether a channel is entered.
  func isEntered(_ url: String) -> Bool {
    entries.withLock { $0[url]?.entered != nil }
  }

  /// Lets go of all.
  func exitAll() {
    let held = entries.withLock { entries in
      let held = entries.values.compactMap(\.entered)
      for url in entries.keys { entries[url]?.entered = nil }
      return held
    }
    withExtendedLifetime(held) {}
  }

  /// Removes what is known of a channel whose object is gone.
  func forget(_ url: String) {
    // Looking at a weak reference holds the object for that moment; if that hold were the last and
    // were given up inside the lock, the object's end would come back here.
    let living = entries.withLock { entries in
      let living = entries[url]?.channel
      if living == nil { entries[url] = nil }
      return living
    }
    withExtendedLifetime(living) {}
  }
}

/// The change of a channel's state by an event or an answer.
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
