/// The offset of an upload that the store has, and the record of the next one while more comes.
///
/// Times are milliseconds of a steady clock.
struct TransferCheckpoint: Sendable {
  /// A record that is made while more comes.
  enum Work: Sendable, Hashable {
    case idle
    /// The bytes are made durable.
    case synchronizing
    /// The offset goes to the store.
    case storing
  }

  /// Bytes after which a record is made.
  ///
  /// Rare: each time, the disk has to be waited for, which messages are waiting for too.
  static let byteCount: Int64 = 64 << 20
  /// The time after which a record is made.
  static let interval: Int64 = 10_000

  /// The offset that the store has.
  private(set) var offset: Int64 = 0
  private(set) var work = Work.idle
  private var recordedAt: Int64 = 0
  /// The moment at which the store was last asked to record, which prolongs the claim.
  private(set) var askedAt: Int64 = 0

  /// Takes note of an offset that the store has.
  mutating func note(_ offset: Int64, at now: Int64) {
    self.offset = offset
    recordedAt = now
    work = .idle
  }

  /// Takes note that less is there than the store has.
  mutating func fallBack(to offset: Int64) { self.offset = offset }

  /// Begins a record if it is due.
  mutating func beginIfDue(at place: Int64, now: Int64) -> Bool {
    guard work == .idle,
      place - offset >= Self.byteCount || place > offset && now - recordedAt >= Self.interval
    else { return false }
    work = .synchronizing
    return true
  }

  /// Takes note that the store is asked to record.
  mutating func beginStoring(at now: Int64) {
    work = .storing
    askedAt = now
  }

  mutating func cancel() { work = .idle }
}
