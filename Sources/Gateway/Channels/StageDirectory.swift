import Channels
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

  /// Creates the stage of a group whose home on another server has asked for connections.
  ///
  /// A stage that waits for an earlier home is replaced: that home has ended, and the members may have changed
  /// since it asked. Its question may also arrive after that of the later home.
  func makeStage(ofGroup url: String, for home: UInt64) -> StageHost {
    if let stage = stages[url] {
      guard let other = stage.awaitedHome, other < home else { return stage }
      drop(stage)
    }
    let stage = StageHost(groupURL: url, on: shard)
    stages[url] = stage
    stage.awaitNews(of: home)
    scheduleSweep()
    return stage
  }

  /// Removes a stage whose home has ended before it sent anything; the next one asks again.
  private func drop(_ stage: StageHost) {
    stage.handle(StageInput.disperse)
    stages[stage.url] = nil
  }

  /// Removes a stage that its home has ended.
  func remove(_ stage: StageHost) {
    if stages[stage.url] === stage { stages[stage.url] = nil }
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
      if stage.awaitedHome == nil { stage.attach() } else { drop(stage) }
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
      // The home may be sending connections to the stage of a group, and so decides.
      if stage.awaitedHome != nil {
        drop(stage)
      } else if stage.isOfGroup {
        stage.reportVacancy()
      } else {
        stages[stage.url] = nil
        stage.detach()
      }
    }
    scheduleSweep()
  }

  private func scheduleSweep() {
    guard sweepTimer == nil, !stages.isEmpty else { return }
    sweepTimer = shard.loop.schedule(after: Self.sweepInterval, self)
  }
}
