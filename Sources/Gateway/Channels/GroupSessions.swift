import Channels
import Reactor

/// The sessions of this server that receive the events of groups, each on the shard that the id of its
/// user determines; with several servers only.
///
/// The homes of groups ask each server for its own sessions. After messages between servers were lost,
/// and after each change of the servers, all sessions are added to their groups again, a few at a time, and
/// then sent `group.ready` once more. So is a session that was added while the stage of a group attached
/// again, or has received events that the stage has read from the log. Confined to its shard.
final class GroupSessions: TimerHandler {
  /// The number of sessions that are being added to their groups at a time, after a change.
  private static let renewalCount = 16
  /// Milliseconds before single sessions are added again: what has made them miss events may not be over.
  private static let renewalPause: Int64 = 500

  private unowned let shard: Shard
  private var sessions: [String: SessionList] = [:]
  /// The covers in progress.
  private var covers: [SessionAddress: GroupCover] = [:]
  /// The sessions whose covers wait for others.
  private var waiting: [Seat] = []
  /// The sessions that will be added again after the pause.
  private var renewing: Set<Seat> = []
  private var renewalTimer: EventLoop.TimerToken?

  init(shard: Shard) {
    self.shard = shard
  }

  var isEmpty: Bool { sessions.isEmpty }

  /// Adds a session, which is sent `group.ready` when its groups know it.
  func add(_ seat: Seat) {
    sessions[seat.userID, default: SessionList()].append(seat.session)
    begin(seat)
  }

  /// Removes a closed session.
  func remove(_ seat: Seat) {
    covers.removeValue(forKey: seat.session)?.stop()
    sessions[seat.userID]?.remove(seat.session)
    if sessions[seat.userID]?.isEmpty == true { sessions[seat.userID] = nil }
    beginNext()
  }

  /// The sessions of users.
  func seats(of userIDs: [String]) -> [Seat] {
    userIDs.flatMap { userID in
      (sessions[userID]?.all ?? []).map { Seat(userID: userID, session: $0) }
    }
  }

  /// Adds all sessions to their groups again.
  func renew() {
    for cover in covers.values { cover.stop() }
    covers = [:]
    renewing = []
    waiting = sessions.flatMap { userID, list in
      list.all.map { Seat(userID: userID, session: $0) }
    }
    beginNext()
  }

  /// Adds a session to its groups again, because of events that it has missed in one of them.
  func renew(_ seat: Seat) {
    renewing.insert(seat)
    guard renewalTimer == nil else { return }
    renewalTimer = shard.loop.schedule(after: Self.renewalPause, self)
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    renewalTimer = nil
    for seat in renewing { covers.removeValue(forKey: seat.session)?.stop() }
    waiting = waiting.filter { !renewing.contains($0) } + renewing
    renewing = []
    beginNext()
  }

  private func beginNext() {
    while covers.count < Self.renewalCount, let seat = waiting.popLast() {
      if shard.isSeated(seat) { begin(seat) }
    }
  }

  private func begin(_ seat: Seat) {
    let cover = GroupCover(seat, on: shard) { [unowned self] in
      covers[seat.session] = nil
      beginNext()
    }
    covers[seat.session] = cover
    cover.begin()
  }
}
