import Channels
import ParleyProtocol

/// The reader time that file look-ups take for each user, over all of the user's connections to
/// this server.
///
/// A look-up costs the time that it takes. Most take about 50 µs; looking up a file in a thousand
/// channels for a user in none of them takes a hundred times as long.
struct FileLookUpTime: Sendable {
  static let millisecondsPerSecond = 100
  private static let burstMilliseconds = 1_000

  /// Counts microseconds.
  private let rates = UserRates(
    perSecond: 1_000 * Self.millisecondsPerSecond, burst: 1_000 * Self.burstMilliseconds)

  /// Admits a look-up.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  /// - Throws: 500910 while the user's earlier look-ups have taken too much.
  func admit(_ userID: String, at now: Int64) throws(ServiceError) {
    guard let wait = rates.admit(userID, at: now) else { return }
    throw ServiceError(
      .rateLimited,
      """
      looking up files of the user took more than \(Self.millisecondsPerSecond) ms of the store in a \
      second: try again in \(wait) ms
      """,
      data: ErrorDetails(
        retryAfterMilliseconds: wait, limit: Int64(Self.millisecondsPerSecond),
        windowMilliseconds: 1_000, scope: "files"))
  }

  func charge(_ cost: QueryCost, to userID: String, at now: Int64) {
    rates.charge(userID, calls: Int64(clamping: cost.nanoseconds / 1_000), at: now)
  }
}
