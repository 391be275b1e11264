import Channels
import Reactor
import Store

/// Gives up the channels whose rows are not as this server has left them: the database has lost its
/// last commits, or another server has taken them over.
///
/// Confined to its shard.
final class LogComparison {
  /// The channels whose rows are read at a time.
  private static let batchCount = 1_000

  private unowned let shard: Shard
  /// The last events of the channels in memory, by the numbers of their rows.
  private let known: [Int64: KnownEvent]

  /// Compares all channels in memory, as they are now.
  init(on shard: Shard) {
    self.shard = shard
    known = shard.channels.lastEvents
  }

  /// Reads the rows.
  func begin() {
    let ids = known.keys.sorted()
    for start in stride(from: 0, to: ids.count, by: Self.batchCount) {
      read(ids[start..<min(start + Self.batchCount, ids.count)])
    }
  }

  private func read(_ ids: ArraySlice<Int64>) {
    let (comparison, path) = (LoopBound(self), shard.returnPath)
    shard.services.store.read(.places(Array(ids))) { result in
      guard case .success(.places(let places)) = result else { return }
      path.enqueue { _ in for place in places { comparison.value.compare(place) } }
    }
  }

  private func compare(_ place: LogChannel) {
    let channels = shard.channels
    guard let channel = channels.resident(place.url), channel.place.id == place.id,
      let event = known[place.id],
      place.term != channel.place.term || place.lastSeq < event.seq
    else { return }
    if place.term > channel.place.term { channels.noteFence(of: place.url) }
    channels.giveUp(channel, knowing: channel.lastEvent)
  }
}
