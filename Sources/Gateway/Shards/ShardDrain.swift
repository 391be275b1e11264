import ParleyProtocol
import Reactor
import Transport
import WebSocket

/// A shard's way to its end.
///
/// Every session is asked to come back, each at another time, and is closed then; all shards stop
/// when none has any left, or the time is up. Until then a shard without sessions goes on being the
/// home of channels and users that sessions elsewhere ask for.
///
/// Requests are still answered meanwhile, so that whoever asks learns that the shard is not ready and
/// whoever wants to open a session is sent elsewhere.
final class ShardDrain: TimerHandler {
  /// Sessions asked to return in each second, so that they do not come all at once.
  private static let sessionsPerSecond = 1000
  private static let shortestSpread: Int64 = 200
  /// How often closed sessions are looked for.
  private static let step: Int64 = 50
  /// How long a peer may take to end a connection on which all has been said.
  private static let lingering: Int64 = 100
  /// How long a request whose head has come in part may take.
  private static let unfinishedRequest: Int64 = 1000
  /// How long a server stays without which the cluster goes on: what it waits for may never come.
  private static let longestLeave: Int64 = 3000

  private unowned let shard: Shard
  private let deadline: Int64
  private var closings: [(time: Int64, connection: ConnectionID)] = []
  private var timer: EventLoop.TimerToken?
  private var isFinished = false
  /// When the last WebSocket was gone.
  private var lastLeft: Int64?

  init(shard: Shard, timeout: Int64) {
    self.shard = shard
    let hasLeft = shard.services.hasLeftCluster
    deadline = shard.loop.now + (hasLeft ? min(timeout, Self.longestLeave) : timeout)
  }

  /// Closes idle connections, and notifies every session.
  func begin() {
    shard.transport.drain()
    let timeout = deadline - shard.loop.now
    let sessions = shard.sessions.all
    let natural = Int64(sessions.count) * 1000 / Int64(Self.sessionsPerSecond)
    let spread = min(max(natural, Self.shortestSpread), max(timeout / 2, 1))
    let now = shard.services.clock.now
    for session in sessions {
      let wait = Int64.random(in: 0..<spread)
      let event = Event.serverDraining(Event.Draining(reconnectAfter: wait))
      session.send(event.notification(from: .session(at: now)))
      closings.append((shard.loop.now + wait, session.reference.connectionID))
    }
    closings.sort { $0.time < $1.time }
    proceed()
  }

  /// Ends at once what is left.
  func hurry() {
    for session in shard.sessions.all { session.close(.goingAway, reason: "the server stops") }
    shard.transport.forEachConnection { $0.end() }
    finish()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    proceed()
  }

  private func proceed() {
    let now = shard.loop.now
    while let next = closings.first, next.time <= now {
      closings.removeFirst()
      shard.sessions[next.connection]?.closeWhenAnswered(
        .goingAway, reason: "the server is draining")
    }
    if closings.isEmpty { endWithLastSession() }
    if shard.transport.connectionCount == 0 {
      finish()
    } else if now >= deadline {
      hurry()
    } else {
      timer = shard.loop.schedule(after: Self.step, self)
    }
  }

  /// Accepts and answers nothing more, once no WebSocket is left.
  private func endWithLastSession() {
    var hasWebSockets = false
    shard.transport.forEachConnection { if $0.isWebSocket { hasWebSockets = true } }
    guard !hasWebSockets else { return }
    shard.transport.stopListening()
    let now = shard.loop.now
    let lastLeft = lastLeft ?? now
    self.lastLeft = lastLeft
    shard.transport.closeIdle()
    if now - lastLeft >= Self.lingering { shard.transport.closeLingering() }
    // A request that is under way is answered first; one that has come in part may be none.
    guard now - lastLeft >= Self.unfinishedRequest else { return }
    shard.transport.forEachConnection { if !$0.isAnswering { $0.end() } }
  }

  private func finish() {
    guard !isFinished else { return }
    isFinished = true
    if let timer { shard.loop.cancel(timer) }
    shard.transport.stopListening()
    shard.services.shardDidDrain()
  }
}
