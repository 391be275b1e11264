/// The claim of a request: while it is valid, no other request writes to the upload.
///
/// Times are milliseconds of a monotonic clock. A claim counts from the time of its request to the
/// store, so that it ends here before it ends in the store.
struct TransferClaim: Sendable {
  /// The state of a granted claim.
  enum Age: Sendable, Hashable {
    case fresh
    /// The claim should be renewed.
    case due
    /// Another request may claim the upload.
    case over
  }

  /// The time for which a claim is valid without renewal.
  static let duration: Int64 = 30_000
  /// The time after which the claim is renewed.
  private static let renewalInterval: Int64 = 10_000
  /// Maximum number of attempts to claim when the record changes in the meantime.
  private static let attemptLimit = 3

  private var attemptCount = 0
  /// The time of the last request to the store that granted or renewed the claim.
  private var askedAt: Int64 = 0
  /// The time of the renewal in progress.
  private var renewalAskedAt: Int64?

  /// Records that the claim is being requested from the store.
  mutating func attempt(at now: Int64) {
    attemptCount += 1
    askedAt = now
  }

  var canBeTriedAgain: Bool { attemptCount < Self.attemptLimit }

  func age(at now: Int64) -> Age {
    switch now - askedAt {
    case Self.duration...: .over
    case Self.renewalInterval...: .due
    default: .fresh
    }
  }

  /// Records that a renewal is being requested from the store.
  ///
  /// - Returns: Whether no renewal is in progress already.
  mutating func beginRenewal(at now: Int64) -> Bool {
    guard renewalAskedAt == nil else { return false }
    renewalAskedAt = now
    return true
  }

  /// Records the answer to a renewal.
  ///
  /// - Returns: The time of its request; `nil` when none was made.
  mutating func endRenewal() -> Int64? {
    defer { renewalAskedAt = nil }
    return renewalAskedAt
  }

  /// Records that the store has renewed the claim.
  mutating func prolong(askedAt moment: Int64) { askedAt = max(askedAt, moment) }
}
