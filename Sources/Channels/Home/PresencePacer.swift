/// Limits the `channel.user_entered` and `channel.user_exited` events of each user: at most one a
/// second, and later ones only if the published state differs from the present one.
///
/// Pure: times are milliseconds of one clock.
struct PresencePacer<Subject: Sendable>: Sendable {
  /// Milliseconds between two published events of one user.
  static var interval: Int64 { 1_000 }
  /// The default maximum number of users whose pause is recorded; events of further users are
  /// published at once.
  static var defaultCapacity: Int { 1_024 }

  private struct Entry {
    /// Whether the user was last published as present.
    var isPresent: Bool
    /// The end of the pause after the last published event.
    var due: Int64
    /// The last change that was held back.
    var held: Subject?
  }

  private let capacity: Int
  private var entries: [String: Entry] = [:]
  private var heldCount = 0
  /// No held-back change is due before this time.
  private var earliestDue = Int64.max
  private var sweepSize = 16

  init(capacity: Int = Self.defaultCapacity) {
    self.capacity = max(1, capacity)
  }

  /// The users in their pause.
  var userCount: Int { entries.count }

  /// The users with a change that is held back, and whether each was last published as present.
  var held: [(userID: String, isPublished: Bool)] {
    guard heldCount > 0 else { return [] }
    return entries.compactMap { $0.value.held == nil ? nil : ($0.key, $0.value.isPresent) }
  }

  /// Whether a user with a change that is held back was last published as present; `nil` for others.
  func isPublished(_ userID: String) -> Bool? {
    entries[userID].flatMap { $0.held == nil ? nil : $0.isPresent }
  }

  /// Records that a user entered or left.
  ///
  /// - Returns: Whether to publish the change now; otherwise it is held back.
  mutating func change(
    _ userID: String, isPresent: Bool, _ subject: Subject, at now: Int64
  ) -> Bool {
    if let entry = entries[userID], now < entry.due {
      if entry.held == nil { heldCount += 1 }
      entries[userID]?.held = subject
      earliestDue = min(earliestDue, entry.due)
      return false
    }
    if let entry = entries[userID], entry.held != nil {
      heldCount -= 1
      if heldCount == 0 { earliestDue = .max }
      entries[userID] = nil
      // The state changed back before the held-back change was taken.
      guard entry.isPresent != isPresent else { return false }
    }
    makeRoom(at: now)
    guard entries[userID] != nil || entries.count < capacity else { return true }
    entries[userID] = Entry(
      isPresent: isPresent, due: now.addingClamped(Self.interval), held: nil)
    return true
  }

  /// The time of the next ``take(at:isPresent:)``, which may have nothing to return; `nil` if
  /// nothing is held back.
  var due: Int64? { heldCount > 0 ? earliestDue : nil }

  /// Returns the users whose pause is over and whose state differs from the published one.
  ///
  /// - Parameter isPresent: Whether a user is in the channel now.
  /// - Returns: The users in the order of their pauses, each with its last change.
  mutating func take(
    at now: Int64, isPresent: (String) -> Bool
  ) -> [(subject: Subject, isPresent: Bool)] {
    guard heldCount > 0, earliestDue <= now else { return [] }
    let over = entries.filter { $0.value.held != nil && $0.value.due <= now }
      .sorted { ($0.value.due, $0.key) < ($1.value.due, $1.key) }
    heldCount -= over.count
    earliestDue =
      entries.values.lazy.filter { $0.held != nil && $0.due > now }.map(\.due).min() ?? .max
    return over.compactMap { userID, entry in
      let isPresent = isPresent(userID)
      guard let subject = entry.held, isPresent != entry.isPresent else {
        entries[userID] = nil
        return nil
      }
      entries[userID] = Entry(
        isPresent: isPresent, due: now.addingClamped(Self.interval), held: nil)
      return (subject, isPresent)
    }
  }

  /// Drops pauses that are over, if the table has doubled since the last sweep.
  private mutating func makeRoom(at now: Int64) {
    guard entries.count >= min(sweepSize, capacity) else { return }
    entries = entries.filter { $0.value.held != nil || now < $0.value.due }
    sweepSize = max(16, entries.count * 2)
  }
}
