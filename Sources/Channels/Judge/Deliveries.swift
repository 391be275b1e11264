import ParleyProtocol

/// How far the clients of members have received a group, as far as the other members have not been notified
/// or the log has not stored it.
///
/// Positions are ``Member/deliveredAt``. They are kept in memory for some seconds, because clients send one
/// almost with every message: after a crash the log has older ones.
///
/// Pure: times are milliseconds of one clock.
struct Deliveries: Sendable {
  /// The maximum time until a position is submitted to the log.
  static let storeInterval: Int64 = 5_000

  /// The members of whom the others are to be notified.
  var moves = ReadMoves()
  private var unstored: [String: Int64] = [:]
  /// Those that the log is storing.
  private var storing: [String: Int64] = [:]
  private var pacer = NoticePacer(patience: Self.storeInterval)

  /// Whether everyone has been notified, and everything is stored.
  var isIdle: Bool { moves.isIdle && unstored.isEmpty && !isStoring }

  var isStoring: Bool { !storing.isEmpty }

  /// The positions that the log may not have.
  var positions: [String: Int64] { unstored.merging(storing, uniquingKeysWith: max) }

  /// The time of the next notice or write; `nil` if there is none.
  var due: Int64? {
    [moves.due, isStoring ? nil : pacer.due].compactMap(\.self).min()
  }

  /// Notes a position that is to be stored.
  mutating func note(_ deliveredAt: Int64, of userID: String, at now: Int64) {
    unstored[userID] = max(unstored[userID] ?? 0, deliveredAt)
    pacer.noteChange(at: now)
  }

  /// Forgets the position of a user who is no longer a member.
  mutating func forget(_ userID: String) { unstored[userID] = nil }

  /// Returns the positions to store now, sorted by user.
  mutating func takeDue(at now: Int64) -> [Delivery] {
    guard let due = pacer.due, due <= now else { return [] }
    return takeAll(at: now)
  }

  /// Returns all positions, sorted by user, unless others are being stored.
  mutating func takeAll(at now: Int64) -> [Delivery] {
    guard !isStoring else { return [] }
    pacer.noteSent(at: now)
    (storing, unstored) = (unstored, [:])
    return storing.sorted { $0.key < $1.key }.map { Delivery(to: $0.key, at: $0.value) }
  }

  /// Notes that the log has stored the positions.
  ///
  /// - Returns: The positions.
  mutating func didStore() -> [String: Int64] {
    defer { storing = [:] }
    return storing
  }

  /// Notes that the log has not stored the positions, which are due again later.
  mutating func didFail(at now: Int64) {
    unstored = positions
    storing = [:]
    if !unstored.isEmpty { pacer.noteChange(at: now) }
  }
}
