/// The keys that session tickets are protected with, and when they change.
///
/// A ticket lives for ``lifetime``. New tickets use a key for as long; the key before it still opens
/// its own tickets, and is gone when it is replaced. So no key outlives twice that time while
/// handshakes come.
struct TicketKeyRing<Key: Sendable>: Sendable {
  /// One hour, in milliseconds.
  static var lifetime: Int64 { 3_600_000 }

  /// A key that opens a ticket.
  enum Found: Sendable {
    case current(Key)
    /// The client should get a ticket of the current key.
    case previous(Key)
  }

  private let make: @Sendable () -> Key?
  private var current: (key: Key, since: Int64)?
  private var previous: (key: Key, since: Int64)?

  /// - Parameter make: Makes a random key; `nil` when the system has no randomness.
  init(make: @escaping @Sendable () -> Key?) {
    self.make = make
  }

  /// The key for a new ticket; `nil` when none can be made.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  mutating func issuing(at now: Int64) -> Key? {
    rotate(at: now)
    if current == nil { current = make().map { ($0, now) } }
    return current?.key
  }

  /// The key that a client's ticket was made with; `nil` when it is gone.
  mutating func opening(at now: Int64, where isMatch: (Key) -> Bool) -> Found? {
    rotate(at: now)
    if let current, isMatch(current.key) { return .current(current.key) }
    if let previous, isMatch(previous.key) { return .previous(previous.key) }
    return nil
  }

  /// Retires keys whose time is over.
  private mutating func rotate(at now: Int64) {
    if let current, now - current.since >= Self.lifetime {
      previous = current
      self.current = nil
    }
    if let previous, now - previous.since >= 2 * Self.lifetime { self.previous = nil }
  }
}
