import Configuration
import Reactor
import Uploads

/// Sweeps uploads periodically, on the first shard.
final class UploadSweeper: TimerHandler {
  private static let interval: Int64 = 30_000

  private unowned let shard: Shard

  init(on shard: Shard) {
    self.shard = shard
    timerDidFire()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { timerDidFire() }

  private func timerDidFire() {
    let path = shard.returnPath
    shard.services.uploads.sweep { records in
      path.resume { shard in
        for record in records { shard.sendMessageAgain(of: record) }
      }
    }
    _ = shard.loop.schedule(after: Self.sweepInterval(shard), self)
  }

  /// Uploads with a short retention are swept more often.
  private static func sweepInterval(_ shard: Shard) -> Int64 {
    let retention = shard.settings.limits.uploadRetentionSeconds * 1_000
    return min(interval, max(retention / 4, 250))
  }
}
