/// Chooses the ids of imported messages by their times, among those that are free.
///
/// Ids of messages that are sent count from 2025 in units of 2^-12 ms, and are assigned only near the present.
/// Ids of imported messages lie below, in the same order of time:
///
///     from February 2025   (milliseconds since 2025-01-01) · 2^12
///     before               (seconds since 1970) · 2^12 + (milliseconds in the second) · 4
///
/// The second form reaches up to 7.1 · 10^12, which in the first is the 20th of January 2025, so the forms do not
/// overlap. Messages of one moment take the next ids, in the order given.
struct ImportedMessageIDs {
  private static let beginning: Int64 = 1_735_689_600_000
  /// The first of February 2025.
  private static let fineTimes: Int64 = 1_738_368_000_000

  /// The first id of a time in Unix milliseconds.
  static func first(at time: Int64) -> Int64 {
    guard time < fineTimes else { return (time - beginning) << 12 }
    return max((time / 1_000) << 12 + time % 1_000 * 4, 1)
  }

  /// The `seq` of an imported message, which is no event: below those of events, and in the order of ids.
  static func seq(of id: Int64) -> Int64 { id - 1 << 53 }

  /// The lowest acceptable ids, in ascending order.
  private let floors: [Int64]
  private var taken: Set<Int64> = []

  /// - Parameter floors: The lowest acceptable id of each message, in ascending order.
  init(from floors: [Int64]) { self.floors = floors }

  /// Distinct ids in ascending order, none of which is known to be taken.
  var ids: [Int64] {
    var last: Int64 = 0
    return floors.map { floor in
      var id = max(floor, last + 1)
      while taken.contains(id) { id += 1 }
      last = id
      return id
    }
  }

  /// Excludes ids that other messages have.
  mutating func exclude(_ ids: some Sequence<Int64>) { taken.formUnion(ids) }
}
