/// The channels that users were in when their connections were lost, kept for a limited time.
///
/// All are kept for the same time, so the oldest expires first. A user has at most as many as the limit
/// of channels per user. Beyond that the oldest is removed.
struct LostPlaces {
  private struct Place {
    let channelURL: String
    let end: Int64
  }

  /// The largest number of places of one user.
  var limit: Int
  /// The places of each user, the oldest first.
  private var places: [String: [Place]] = [:]
  /// The number of users with places after the last check, which determines the next check.
  private var keptCount = 0

  init(perUser limit: Int) { self.limit = limit }

  /// - Parameter end: Milliseconds of the same clock as `now`.
  mutating func add(_ channelURL: String, of userID: String, at now: Int64, until end: Int64) {
    var own = places[userID, default: []].filter { $0.end > now && $0.channelURL != channelURL }
    own.append(Place(channelURL: channelURL, end: end))
    own.removeFirst(max(0, own.count - limit))
    places[userID] = own
    removeEnded(at: now)
  }

  mutating func remove(_ channelURL: String, of userID: String) {
    guard var own = places[userID] else { return }
    own.removeAll { $0.channelURL == channelURL }
    places[userID] = own.isEmpty ? nil : own
  }

  func channels(of userID: String, at now: Int64) -> [String] {
    (places[userID] ?? []).filter { $0.end > now }.map(\.channelURL)
  }

  /// Checks all users once their number has doubled.
  private mutating func removeEnded(at now: Int64) {
    guard places.count > max(64, 2 * keptCount) else { return }
    places = places.filter { $0.value.contains { $0.end > now } }
    keptCount = places.count
  }
}
