import Reactor
import Store

/// Writes down when the users at home on a shard were last there, many at a time.
///
/// The store keeps one moment a minute for each user. A moment that it can't take is lost: the next
/// one is as good.
final class LastSeenNotes: TimerHandler {
  /// How long moments are gathered, in milliseconds.
  private static let patience: Int64 = 100
  /// Users that one job of the store takes, so that others get their turn.
  private static let batchSize = 500

  private unowned let shard: Shard
  private var moments: [String: Int64] = [:]
  private var timer: EventLoop.TimerToken?

  init(shard: Shard) {
    self.shard = shard
  }

  /// A user was here until now.
  func note(_ userID: String) {
    moments[userID] = shard.services.clock.now
    if timer == nil { timer = shard.loop.schedule(after: Self.patience, self) }
  }

  /// Hands what was gathered to the store.
  func write() {
    var rest = Array(moments)[...]
    moments = [:]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.batchSize)
      rest = rest.dropFirst(Self.batchSize)
      shard.services.store.perform(SeenNotes(batch)) { _ in }
    }
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    write()
  }
}
