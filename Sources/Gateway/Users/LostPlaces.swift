/// The channels that users were in when their connections were lost, for a while.
///
/// All are kept for the same time, so that the oldest ends first.
struct LostPlaces {
  private struct Place: Hashable {
    let userID: String
    let channelURL: String
  }

  private var ends: [Place: Int64] = [:]
  private var order: [(place: Place, end: Int64)] = []
  /// Places at the beginning of the order that have ended.
  private var endedCount = 0

  /// - Parameter end: Milliseconds of the clock of `now`.
  mutating func add(_ channelURL: String, of userID: String, at now: Int64, until end: Int64) {
    removeEnded(at: now)
    let place = Place(userID: userID, channelURL: channelURL)
    ends[place] = end
    order.append((place, end))
  }

  mutating func remove(_ channelURL: String, of userID: String) {
    guard !ends.isEmpty else { return }
    ends[Place(userID: userID, channelURL: channelURL)] = nil
  }

  func contains(_ channelURL: String, of userID: String, at now: Int64) -> Bool {
    guard let end = ends[Place(userID: userID, channelURL: channelURL)] else { return false }
    return end > now
  }

  private mutating func removeEnded(at now: Int64) {
    while endedCount < order.count, order[endedCount].end <= now {
      let ended = order[endedCount]
      if ends[ended.place] == ended.end { ends[ended.place] = nil }
      endedCount += 1
    }
    guard endedCount > 64, endedCount * 2 > order.count else { return }
    order.removeFirst(endedCount)
    endedCount = 0
  }
}
