import Channels
import Synchronization

/// The current number of participants of each channel, for lists of channels whose homes are on
/// several shards.
///
/// Written when users enter and leave, never when events are delivered. Only a channel's home
/// writes its count, so another server would have to ask that home. The counts are in parts, so that looking
/// through all of them holds up no shard.
final class ParticipantCounts: Sendable {
  private final class Part: Sendable {
    let counts = Mutex<[String: ParticipantRank]>([:])
  }

  private let parts = (0..<64).map { _ in Part() }

  /// A channel's count; 0 for an empty channel.
  subscript(url: String) -> Int {
    part(of: url).counts.withLock { $0[url]?.participants ?? 0 }
  }

  func set(_ count: Int, of url: String) {
    let rank = count == 0 ? nil : ParticipantRank(count, of: url)
    part(of: url).counts.withLock { $0[url] = rank }
  }

  /// Selects among all channels.
  func offer(to fullest: inout FullestChannels) {
    for part in parts {
      part.counts.withLock { fullest.offer($0) }
    }
  }

  private func part(of url: String) -> Part {
    parts[Int(UInt(bitPattern: url.hashValue) % UInt(parts.count))]
  }
}
