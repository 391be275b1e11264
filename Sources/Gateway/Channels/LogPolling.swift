import Channels
import Cluster
import ParleyProtocol
import Reactor
import Store

/// Reads the events of channels from the log while their homes are silent: when the bus is down,
/// events then arrive late, instead of only after the bus is back.
///
/// Confined to its shard.
final class LogPolling: TimerHandler {
  /// Milliseconds between two polls.
  private static let interval: Int64 = 1_000

  private unowned let shard: Shard
  private var silent: Set<ServerID> = []
  private var timer: EventLoop.TimerToken?
  private var isReading = false

  init(_ shard: Shard) {
    self.shard = shard
  }

  /// Sets the servers that are silent.
  func silenceDidChange(_ servers: Set<ServerID>) {
    silent = servers
    if servers.isEmpty {
      if let timer { shard.loop.cancel(timer) }
      timer = nil
    } else if timer == nil {
      timer = shard.loop.schedule(after: Self.interval, self)
    }
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = shard.loop.schedule(after: Self.interval, self)
    look()
  }

  /// Reads the last positions of all the channels from the log, then the events of those that are ahead.
  func look() {
    guard !isReading else { return }
    let slots = Set(silent.compactMap { shard.edge?.routes.ring.member($0)?.slot })
    var known: [Int64: (url: String, position: StreamPosition)] = [:]
    for stage in shard.stages.all where slots.contains(stage.homeServer) {
      guard let place = stage.logPlace else { continue }
      known[place.channelID] = (stage.url, place.position)
    }
    guard !known.isEmpty else { return }
    isReading = true
    let (polling, path, asked) = (LoopBound(self), shard.returnPath, known)
    shard.services.store.perform(ChannelPositions(of: Array(asked.keys))) { result in
      path.enqueue { shard in
        polling.value.isReading = false
        guard case .success(let positions) = result else { return }
        for (channelID, position) in positions {
          guard let (url, seen) = asked[channelID], position.epoch == seen.epoch,
            position.seq > seen.seq
          else { continue }
          shard.stages[url]?.readMissed()
        }
      }
    }
  }
}
