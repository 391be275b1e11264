import Synchronization

/// How many participants each channel has at the moment, for lists of channels whose homes are on
/// several shards.
///
/// Written when users enter and leave, never when events are delivered. Only a channel's home writes
/// its count, so it is the home that another server would ask.
final class ParticipantCounts: Sendable {
  private let counts = Mutex<[String: Int]>([:])

  /// A channel's count; 0 when nobody is in it.
  subscript(url: String) -> Int {
    counts.withLock { $0[url] ?? 0 }
  }

  func set(_ count: Int, of url: String) {
    counts.withLock { $0[url] = count == 0 ? nil : count }
  }
}
