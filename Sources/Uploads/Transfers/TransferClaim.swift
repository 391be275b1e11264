/// The claim of a request: while it holds, no other request writes to the upload.
///
/// Times are milliseconds of a steady clock. A claim counts from the moment at which the store was asked for
/// it, so that it ends here before it ends there.
struct TransferClaim: Sendable {
  /// The state of a claim that was given.
  enum Age: Sendable, Hashable {
    case fresh
    /// It is to be prolonged.
    case due
    /// Another request may have it.
    case over
  }

  /// The time for which a claim holds that is not prolonged.
  static let duration: Int64 = 30_000
  /// The time after which it is prolonged.
  private static let renewalInterval: Int64 = 10_000
  /// Times that a claim is tried when the record changes under it.
  private static let attemptLimit = 3

  private var attemptCount = 0
  /// The moment of the last request to the store that gave or prolonged it.
  private var askedAt: Int64 = 0
  /// The moment of the renewal that is under way.
  private var renewalAskedAt: Int64?

  /// Takes note that the store is asked for it.
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

  /// Takes note that the store is to be asked to prolong it.
  ///
  /// - Returns: Whether it is not being asked already.
  mutating func beginRenewal(at now: Int64) -> Bool {
    guard renewalAskedAt == nil else { return false }
    renewalAskedAt = now
    return true
  }

  /// Takes note of the answer to a renewal.
  ///
  /// - Returns: The moment at which it was asked for; `nil` when none was.
  mutating func endRenewal() -> Int64? {
    defer { renewalAskedAt = nil }
    return renewalAskedAt
  }

  /// Takes note that the store has prolonged it.
  mutating func prolong(askedAt moment: Int64) { askedAt = max(askedAt, moment) }
}
