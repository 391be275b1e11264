import Channels
import Reactor
import Store

/// Gives up the channels whose rows differ from what this server wrote: the database has lost its
/// last commits, or another server has taken the channels over.
///
/// Failed reads are repeated until they succeed: the readers may reach the database later than the
/// writer. Confined to its shard.
final class LogComparison: TimerHandler {
  /// The number of channels whose rows are read at a time.
  private static let batchCount = 1_000
  /// Milliseconds from a failed read to the next.
  private static let pause: Int64 = 250

  private unowned let shard: Shard
  /// The last events of the channels in memory, by the numbers of their rows.
  private let known: [Int64: KnownEvent]
  /// The rows that could not be read.
  private var unread: [Int64] = []

  /// Compares all channels in memory, as they are now.
  init(on shard: Shard) {
    self.shard = shard
    known = shard.channels.lastEvents
  }

  /// Reads the rows.
  func begin() { read(known.keys.sorted()) }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    let ids = unread
    unread = []
    read(ids)
  }

  private func read(_ ids: [Int64]) {
    for start in stride(from: 0, to: ids.count, by: Self.batchCount) {
      read(ids[start..<min(start + Self.batchCount, ids.count)])
    }
  }

  private func read(_ ids: ArraySlice<Int64>) {
    let (comparison, path) = (LoopBound(self), shard.returnPath)
    shard.services.store.read(.places(Array(ids))) { result in
      path.enqueue { [ids] _ in
        if case .success(.places(let places)) = result {
          for place in places { comparison.value.compare(place) }
        } else {
          comparison.value.readLater(ids)
        }
      }
    }
  }

  private func readLater(_ ids: ArraySlice<Int64>) {
    if unread.isEmpty { _ = shard.loop.schedule(after: Self.pause, self) }
    unread += ids
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
