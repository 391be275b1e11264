import ParleyProtocol
import Reactor
import Transport
import HTTP

/// The shutdown of a shard.
///
/// Every session is asked to reconnect, each at a different time, and is then closed. All shards stop
/// when none has sessions left, or when the time limit passes. Until then a shard without sessions
/// remains the home of the channels and users of sessions elsewhere.
///
/// Requests are still answered until then: callers learn that the shard is not ready, and clients that
/// want to open a session are sent elsewhere.
final class ShardDrain: TimerHandler {
  /// The number of sessions asked to reconnect per second, so that they do not return all at once.
  private static let sessionsPerSecond = 1000
  private static let shortestSpread: Int64 = 200
  /// The polling interval for closed sessions.
  private static let step: Int64 = 50
  /// The time for a peer to close a connection on which nothing is left to send.
  private static let lingering: Int64 = 100
  /// The time limit of a request whose head has partly arrived.
  private static let unfinishedRequest: Int64 = 1000
  /// The time limit of a server that the cluster continues without, because its waits may never end.
  private static let longestLeave: Int64 = 3000

  private unowned let shard: Shard
  private let deadline: Int64
  private var closings: [(time: Int64, connection: ConnectionID)] = []
  private var timer: EventLoop.TimerToken?
  private var isFinished = false
  /// The time at which the last WebSocket or stream was closed.
  private var lastLeft: Int64?

  init(shard: Shard, timeout: Int64) {
    self.shard = shard
    let hasLeft = shard.services.hasLeftCluster
    deadline = shard.loop.now + (hasLeft ? min(timeout, Self.longestLeave) : timeout)
  }

  /// Closes idle connections, and notifies every session.
  func begin() {
    shard.transport.drain()
    shard.streams.drain()
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

  /// Closes all remaining connections at once.
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

  /// Stops accepting and answering, once no WebSocket and no stream is left.
  private func endWithLastSession() {
    var hasWebSockets = false
    shard.transport.forEachConnection { if $0.isWebSocket || $0.isStream { hasWebSockets = true } }
    guard !hasWebSockets else { return }
    shard.transport.stopListening()
    let now = shard.loop.now
    let lastLeft = lastLeft ?? now
    self.lastLeft = lastLeft
    shard.transport.closeIdle()
    if now - lastLeft >= Self.lingering { shard.transport.closeLingering() }
    // A running request is answered first. A partly received one may not be a request.
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
