import Reactor

/// The stages on a shard that are attached to homes on other servers, or were beside a home that has
/// moved.
///
/// A stage is removed after it has been without participants and work for a while.
final class StageDirectory: TimerHandler {
  /// Milliseconds between two sweeps for idle stages.
  private static let sweepInterval: Int64 = 30_000

  private unowned let shard: Shard
  private var stages: [String: StageHost] = [:]
  private var lastAttachment: UInt64 = 0
  private var sweepTimer: EventLoop.TimerToken?
  /// Reads events from the log that homes cannot send.
  private(set) lazy var polling = LogPolling(shard)

  init(shard: Shard) {
    self.shard = shard
  }

  /// All stages, in no particular order.
  var all: some Sequence<StageHost> { stages.values }

  /// The stage of a channel, if it is attached to a home.
  subscript(url: String) -> StageHost? { stages.isEmpty ? nil : stages[url] }

  /// Creates the stage of a channel that is at home on another server.
  func makeStage(of url: String) -> StageHost {
    let stage = StageHost(url: url, on: shard)
    attach(stage)
    return stage
  }

  /// Attaches a stage to the current home of its channel.
  func attach(_ stage: StageHost) {
    stages[stage.url] = stage
    stage.attach()
    scheduleSweep()
  }

  /// Reattaches the stages whose channels have other homes now.
  func followHomes() {
    for stage in stages.values
    where shard.homeServer(ofChannel: stage.url) != stage.homeServer || stage.isPausing {
      stage.attach()
    }
  }

  /// Reattaches the stages whose homes are on a server.
  func attachAnew(to server: UInt16) {
    for stage in stages.values where stage.homeServer == server { stage.attach() }
  }

  /// Returns a number for an attachment, larger than all earlier ones.
  func nextAttachment() -> UInt64 {
    lastAttachment += 1
    // The shards of a server count independently.
    return lastAttachment * UInt64(shard.services.shards.count) + UInt64(shard.handle.index)
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    sweepTimer = nil
    for stage in stages.values where stage.isIdle {
      stages[stage.url] = nil
      stage.detach()
    }
    scheduleSweep()
  }

  private func scheduleSweep() {
    guard sweepTimer == nil, !stages.isEmpty else { return }
    sweepTimer = shard.loop.schedule(after: Self.sweepInterval, self)
  }
}
