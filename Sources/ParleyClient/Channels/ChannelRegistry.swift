internal import ClientTransport

/// Keeps one object for each channel that the client knows.
///
/// Entered channels and the groups of the user are retained, so that their delegates receive events
/// even after the application has released the object. Other channels are referenced weakly.
final class ChannelRegistry: Sendable {
  private struct Entry {
    weak var channel: (any BaseChannel)?
    /// A strong reference to the channel while the client receives its events.
    var entered: (any BaseChannel)?
  }

  private let entries = Locked<[String: Entry]>([:])

  /// Returns the channel's object, created by `make` if there is none.
  ///
  /// The object of another kind belongs to a deleted channel whose URL is in use again.
  func channel<Kind: BaseChannel>(_ url: String, _ make: () -> Kind) -> Kind {
    if let channel = known(url) as? Kind { return channel }
    let made = make()
    // Another thread may have created one first; then this one is released after the lock, as is an
    // object of another kind.
    let (channel, displaced) = entries.withLock { entries -> (Kind, (any BaseChannel)?) in
      let known = entries[url]?.channel
      if let channel = known as? Kind { return (channel, nil) }
      entries[url] = Entry(channel: made)
      return (made, known)
    }
    withExtendedLifetime(displaced) {}
    return channel
  }

  /// Returns the channel's object if there is one.
  func known(_ url: String) -> (any BaseChannel)? {
    entries.withLock { $0[url]?.channel }
  }

  /// Retains a channel that was entered, or a group of the user.
  func enter(_ channel: some BaseChannel) {
    let displaced = entries.withLock { entries in
      defer { entries[channel.url] = Entry(channel: channel, entered: channel) }
      return entries[channel.url]?.channel
    }
    withExtendedLifetime(displaced) {}
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

  /// The groups that have an object.
  var groups: [GroupChannel] {
    let channels = entries.withLock { $0.values.compactMap(\.channel) }
    return channels.compactMap { $0 as? GroupChannel }
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
