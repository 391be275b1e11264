/// The offset of an upload in the store, and the progress of the next record while more bytes arrive.
///
/// Times are milliseconds of a monotonic clock.
struct TransferCheckpoint: Sendable {
  /// A record that is made while more bytes arrive.
  enum Work: Sendable, Hashable {
    case idle
    /// The bytes are being made durable.
    case synchronizing
    /// The offset is being stored.
    case storing
  }

  /// The number of bytes after which a record is made.
  ///
  /// Rare, because each record waits for the disk, for which messages wait too.
  static let byteCount: Int64 = 64 << 20
  /// The time after which a record is made.
  static let interval: Int64 = 10_000

  /// The offset recorded in the store.
  private(set) var offset: Int64 = 0
  private(set) var work = Work.idle
  private var recordedAt: Int64 = 0
  /// The time of the last request to the store for a record, which renews the claim.
  private(set) var askedAt: Int64 = 0

  /// Sets the offset that the store has recorded.
  mutating func note(_ offset: Int64, at now: Int64) {
    self.offset = offset
    recordedAt = now
    work = .idle
  }

  /// Lowers the offset when fewer bytes exist than the store has recorded.
  mutating func fallBack(to offset: Int64) { self.offset = offset }

  /// Starts a record if it is due.
  mutating func beginIfDue(at place: Int64, now: Int64) -> Bool {
    guard work == .idle,
      place - offset >= Self.byteCount || place > offset && now - recordedAt >= Self.interval
    else { return false }
    work = .synchronizing
    return true
  }

  /// Marks the start of a request to the store for a record.
  mutating func beginStoring(at now: Int64) {
    work = .storing
    askedAt = now
  }

  mutating func cancel() { work = .idle }
}
