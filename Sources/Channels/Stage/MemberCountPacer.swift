import ParleyProtocol

/// Limits how often the numbers of members of a large group are announced: at most once a second, and only
/// if they have changed.
///
/// Pure: times are milliseconds of one clock.
struct MemberCountPacer: Sendable {
  private static let interval: Int64 = 1_000

  /// The numbers as last announced; `nil` when an event has since announced others.
  private var announced: Event.MemberCount?
  private var announcedAt = Int64.min / 2
  private var current: Event.MemberCount?
  /// The time of the next ``take(at:)``; `nil` if nothing is pending.
  private(set) var due: Int64?

  /// Notes the numbers after a change.
  mutating func note(_ count: Event.MemberCount, at now: Int64) {
    current = count
    if due == nil { due = max(announcedAt + Self.interval, now) }
  }

  /// Drops what is pending: an event about members announces newer numbers.
  mutating func supersede() { (announced, current, due) = (nil, nil, nil) }

  /// Returns the numbers to announce, if that is due and they have changed.
  mutating func take(at now: Int64) -> Event.MemberCount? {
    guard let due, due <= now else { return nil }
    self.due = nil
    guard let current, current != announced else { return nil }
    (announced, announcedAt) = (current, now)
    return current
  }
}
