import Channels
import Reactor
import Store
import Telemetry

/// Adds a session to the groups of its user that are in memory, on all servers.
///
/// A user may be in thousands of groups, so their homes are asked in slices: other connections do not
/// wait, and a closed session is not added to the remaining groups. A home that has answered sends the session
/// everything that happens from then on; a group that is not in memory finds its members' connections
/// when it is loaded. After all answers the session is ready. Confined to the shard that has the
/// connection in its table of seats.
final class GroupCover: TimerHandler {
  /// The number of groups in one question.
  static let sliceLength = 64
  /// Milliseconds to wait for the answers of other servers, and before a repeated question.
  private static let patience: Int64 = 2_000
  private static let pause: Int64 = 100

  let seat: Seat
  private unowned let shard: Shard
  /// The groups whose homes have not answered.
  private var urls: ArraySlice<String> = []
  private var changeToken = ""
  /// Called once the homes of all groups have answered, or the session was closed.
  private let completion: () -> Void
  private var isStopped = false
  /// Milliseconds of the loop's clock.
  private let begunAt: Int64

  init(_ seat: Seat, on shard: Shard, completion: @escaping () -> Void) {
    self.seat = seat
    self.shard = shard
    self.completion = completion
    begunAt = shard.loop.now
  }

  /// Reads the groups of the user, and begins to ask their homes.
  ///
  /// The groups are read in a later turn of the loop, so that the answer to `session.open` is written before
  /// a reader of the store needs the processor.
  func begin() {
    let cover = LoopBound(self)
    shard.returnPath.resume { _ in cover.value.readGroups() }
  }

  private func readGroups() {
    guard !isStopped else { return }
    let (cover, path) = (LoopBound(self), shard.returnPath)
    shard.services.store.perform(JoinedGroups(of: seat.userID)) { result in
      path.resume { _ in cover.value.didRead(result) }
    }
  }

  /// Ends the cover before the session is ready; the completion is not called.
  func stop() { isStopped = true }

  private func didRead(_ result: Result<JoinedGroupList, StoreError>) {
    guard !isStopped else { return }
    switch result {
    case .success(let groups):
      (urls, changeToken) = (groups.urls[...], groups.changeToken)
      proceed()
    // The client connects again, rather than miss events without noticing.
    case .failure:
      shard.send(.session(seat.session, .disconnect))
      completion()
    }
  }

  /// Asks the homes of the next groups.
  private func proceed() {
    guard !isStopped else { return }
    guard shard.isSeated(seat) else { return completion() }
    let slice = urls.prefix(Self.sliceLength)
    guard !slice.isEmpty else {
      shard.latencies.record(
        nanoseconds: UInt64(max(0, shard.loop.now - begunAt)) * 1_000_000, for: .groupReady)
      shard.send(
        .groupsCovered(seat.session, changeToken: changeToken), to: Int(seat.session.shard))
      return completion()
    }
    let homes = shard.homes(ofGroups: slice)
    let isLocal = homes.allSatisfy { $0.server == shard.services.server }
    shard.poll(count: homes.count, within: isLocal ? nil : Self.patience) { part, address in
      let question = ShardQuestion.cover(seat, groups: homes[part].urls)
      return homes[part].message(question, replyTo: address)
    } then: { [self] answers in
      guard answers.count == homes.count, answers.allSatisfy({ $0 == .covered(true) }) else {
        _ = shard.loop.schedule(after: Self.pause, self)
        return
      }
      urls = urls.dropFirst(slice.count)
      // In another turn: mail of a shard to itself is handled in the same one.
      let cover = LoopBound(self)
      shard.returnPath.resume { _ in cover.value.proceed() }
    }
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { proceed() }
}

/// Some groups with the same home: a shard of this server, or another server.
private struct GroupsOfHome {
  let server: UInt16
  /// `nil` for another server, whose shards are not known here.
  let shard: ShardAddress?
  let urls: [String]

  func message(_ question: ShardQuestion, replyTo address: PollAddress) -> ShardMessage {
    guard let shard else {
      return .shard(ShardAddress(server: server, shard: 0), .askServer(question, replyTo: address))
    }
    return .shard(shard, .ask(question, replyTo: address))
  }
}

extension Shard {
  /// Groups by their homes.
  fileprivate func homes(ofGroups urls: ArraySlice<String>) -> [GroupsOfHome] {
    let own = services.server
    return Dictionary(grouping: urls) { homeServer(ofChannel: $0) }.flatMap { server, urls in
      guard server == own else { return [GroupsOfHome(server: server, shard: nil, urls: urls)] }
      return Dictionary(grouping: urls) { services.shards.stageIndex(ofChannel: $0) }.map {
        GroupsOfHome(server: own, shard: services.shards[$0].address, urls: $1)
      }
    }
  }
}
