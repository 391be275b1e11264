import Channels

/// The channels that a shard has given up: those that another server has taken over, and the last
/// known events of those that must be read again.
struct HomeKnowledge {
  /// The time for which a channel is not used after another server has taken it over.
  private static let fencePause: Int64 = 1_000

  /// Milliseconds of the loop's clock, by URL.
  private var fencedUntil: [String: Int64] = [:]
  private var events: [String: KnownEvent] = [:]

  var eventCount: Int { events.count }

  func isFenced(_ url: String, at now: Int64) -> Bool {
    fencedUntil[url].map { $0 > now } ?? false
  }

  mutating func fence(_ url: String, at now: Int64) { fencedUntil[url] = now + Self.fencePause }

  mutating func removeOldFences(at now: Int64) {
    fencedUntil = fencedUntil.filter { $0.value > now }
  }

  func event(of url: String) -> KnownEvent? { events[url] }

  /// Notes an event that the log of a channel should contain; only the last event of an epoch is kept.
  mutating func note(_ event: KnownEvent, of url: String) {
    if let known = events[url], known.epoch == event.epoch, known.seq >= event.seq { return }
    events[url] = event
  }

  mutating func forgetEvent(of url: String) { events[url] = nil }

  /// Forgets the events of channels that are at home elsewhere.
  mutating func keepEvents(where isAtHome: (String) -> Bool) {
    events = events.filter { isAtHome($0.key) }
  }
}
