internal import COpenSSL
internal import Glibc
internal import Synchronization

/// The keys of one server context's session tickets, requested by OpenSSL from any thread.
final class TicketKeys: Sendable {
  private let ring = Mutex(TicketKeyRing<copenssl_ticket_key>(make: TicketKeys.makeKey))

  /// Makes a server's context use these keys; it keeps no reference, so this object must outlive it.
  func install(in context: OpaquePointer) throws(TLSError) {
    let isInstalled = copenssl_ctx_use_ticket_keys(
      context,
      { owner, name, key in
        guard let owner, let key else { return 0 }
        return Unmanaged<TicketKeys>.fromOpaque(owner).takeUnretainedValue().choose(name, key)
      },
      Unmanaged.passUnretained(self).toOpaque(),
      Int(TicketKeyRing<copenssl_ticket_key>.lifetime / 1000))
    guard isInstalled == 1 else { throw .internalFailure(ErrorQueue.drainText()) }
  }

  private func choose(
    _ name: UnsafePointer<UInt8>?, _ key: UnsafeMutablePointer<copenssl_ticket_key>
  ) -> Int32 {
    let now = Self.now
    guard let name else {
      guard let issuing = ring.withLock({ $0.issuing(at: now) }) else { return 0 }
      key.pointee = issuing
      return 1
    }
    let wanted = Array(
      UnsafeBufferPointer(start: name, count: MemoryLayout.size(ofValue: key.pointee.name)))
    let found = ring.withLock { ring in
      ring.opening(at: now) { withUnsafeBytes(of: $0.name) { $0.elementsEqual(wanted) } }
    }
    switch found {
    case .current(let match):
      key.pointee = match
      return 1
    case .previous(let match):
      key.pointee = match
      return 2
    case nil: return 0
    }
  }

  @Sendable
  private static func makeKey() -> copenssl_ticket_key? {
    var key = copenssl_ticket_key()
    let outcome = withUnsafeMutableBytes(of: &key) { bytes in
      RAND_bytes(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(bytes.count))
    }
    return outcome == 1 ? key : nil
  }

  /// Milliseconds, including time in which the machine was suspended.
  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// The keys that protect session tickets, and their rotation.
///
/// A ticket is valid for ``lifetime``. A key is used for new tickets for the same time; the previous key
/// still opens its own tickets, and is discarded at the next rotation. So no key is kept longer than
/// twice that time while handshakes arrive.
struct TicketKeyRing<Key: Sendable>: Sendable {
  /// One hour, in milliseconds.
  static var lifetime: Int64 { 3_600_000 }

  /// A key that opens a ticket.
  enum Found: Sendable {
    case current(Key)
    /// The client should get a ticket with the current key.
    case previous(Key)
  }

  private let make: @Sendable () -> Key?
  private var current: (key: Key, since: Int64)?
  private var previous: (key: Key, since: Int64)?

  /// - Parameter make: Makes a random key; `nil` when the system's random generator fails.
  init(make: @escaping @Sendable () -> Key?) {
    self.make = make
  }

  /// The key for a new ticket; `nil` when none can be made.
  ///
  /// - Parameter now: Milliseconds of a monotonic clock.
  mutating func issuing(at now: Int64) -> Key? {
    rotate(at: now)
    if current == nil { current = make().map { ($0, now) } }
    return current?.key
  }

  /// The key with which a client's ticket was made; `nil` when it was discarded.
  mutating func opening(at now: Int64, where isMatch: (Key) -> Bool) -> Found? {
    rotate(at: now)
    if let current, isMatch(current.key) { return .current(current.key) }
    if let previous, isMatch(previous.key) { return .previous(previous.key) }
    return nil
  }

  /// Retires expired keys.
  private mutating func rotate(at now: Int64) {
    if let current, now - current.since >= Self.lifetime {
      previous = current
      self.current = nil
    }
    if let previous, now - previous.since >= 2 * Self.lifetime { self.previous = nil }
  }
}
