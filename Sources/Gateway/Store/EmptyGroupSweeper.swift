import Channels
import Configuration
import Logging
import ParleyProtocol
import Reactor
import Store

/// Deletes groups that have had no members for `groups.delete_empty_after_days`, on the first shard, and
/// before them the departures that lists of changes no longer show.
///
/// The home of each group deletes it, unless it has members again. Waits after a start and after a step of
/// the clock (``DeletionHold``).
final class EmptyGroupSweeper: TimerHandler {
  /// The time from the end of a pass to the next, in milliseconds.
  private static let interval: Int64 = 3_600_000
  /// The pause between two deletions, for other writes, in milliseconds.
  private static let pause: Int64 = 20

  private unowned let shard: Shard
  /// The groups that were found; the next one is last.
  private var urls: [String] = []
  private var deletedCount = 0

  init(on shard: Shard) {
    self.shard = shard
    expireDepartures()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    if urls.isEmpty { expireDepartures() } else { deleteNext() }
  }

  private func expireDepartures() {
    let expiry = DepartureExpiry(at: shard.services.now.unix)
    let path = shard.returnPath
    shard.services.store.perform(expiry) { result in
      path.resume { $0.emptyGroupSweeper?.didExpire(result, of: expiry.limit) }
    }
  }

  private func didExpire(_ result: Result<Int, StoreError>, of limit: Int) {
    switch result {
    case .success(limit): schedule(after: Self.pause)
    case .success: find()
    case .failure(.closed): break
    case .failure(let error):
      shard.services.logger.warning(
        "old departures from groups could not be deleted; the next try is in an hour",
        metadata: ["reason": "\(error)"])
      find()
    }
  }

  private func find() {
    guard let age = shard.settings.groups.emptyLifetime else {
      return schedule(after: Self.interval)
    }
    let now = shard.services.now
    let hold = shard.services.deletionHold.rest(forAge: age, at: now)
    guard hold == 0 else { return schedule(after: hold) }
    let path = shard.returnPath
    shard.services.store.perform(EmptyGroups(since: now.unix - age)) { result in
      path.resume { $0.emptyGroupSweeper?.didFind(result) }
    }
  }

  private func didFind(_ result: Result<[String], StoreError>) {
    switch result {
    case .success(let found):
      // With several servers, each deletes those that are at home on it.
      urls = found.reversed().filter { [shard] in
        shard.homeServer(ofChannel: $0) == shard.services.server
      }
      if urls.isEmpty { end() } else { deleteNext() }
    case .failure(.closed): break
    case .failure(let error):
      shard.services.logger.warning(
        "groups past groups.delete_empty_after_days could not be found; the next try is in an hour",
        metadata: ["reason": "\(error)"])
      end()
    }
  }

  private func deleteNext() {
    guard let url = urls.popLast() else { return find() }
    let path = shard.returnPath
    let home = shard.services.shards.stageIndex(ofChannel: url)
    shard.send(.deleteEmptyGroup(url, replyTo: path), to: home)
  }

  /// - Parameter isDeleted: `nil` if the home could not decide, so that a later pass tries again.
  func didDelete(_ isDeleted: Bool?) {
    guard let isDeleted else {
      urls = []
      return end()
    }
    if isDeleted { deletedCount += 1 }
    schedule(after: Self.pause)
  }

  /// Ends a pass, and logs what it has deleted.
  private func end() {
    if deletedCount > 0 {
      shard.services.logger.notice(
        "deleted groups past groups.delete_empty_after_days",
        metadata: ["groups": "\(deletedCount)"])
      deletedCount = 0
    }
    schedule(after: Self.interval)
  }

  private func schedule(after delay: Int64) { _ = shard.loop.schedule(after: delay, self) }
}

extension Shard {
  /// Deletes a group that is at home here, if it has no members.
  func deleteEmptyGroup(_ url: String, replyTo path: ReturnPath) {
    let answer: @Sendable (Result<JudgeAnswer, ServiceError>) -> Void = { result in
      let isDeleted: Bool? =
        switch result {
        case .success(.done): true
        case .success: false
        case .failure(let error): error.code == .notFound ? false : nil
        }
      path.resume { $0.emptyGroupSweeper?.didDelete(isDeleted) }
    }
    channels.withChannel(url) { result in
      switch result {
      case .success(let channel):
        channel.perform(.operation(.deleteEmpty)) { _, result in answer(result) }
      case .failure(let error): answer(.failure(error))
      }
    }
  }
}

extension GroupSettings {
  /// The age in milliseconds at which a group without members is deleted; `nil` when it is kept.
  fileprivate var emptyLifetime: Int64? {
    deleteEmptyAfterDays > 0 ? Int64(deleteEmptyAfterDays) * 86_400_000 : nil
  }
}
