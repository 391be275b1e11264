import Channels
import Configuration
import Logging
import ParleyProtocol
import Reactor
import Store

/// Records the counts of the day each second, and looks up the size of what is stored, on the first shard.
final class QuotaWatch: TimerHandler {
  /// Milliseconds between two records.
  private static let recordInterval: Int64 = 1_000
  /// The records between two look-ups of the size.
  private static let sizeRounds = 5
  /// The used share from which a warning is logged.
  static let warningShare = 0.8

  private unowned let shard: Shard
  private var round = 0
  /// The quotas that a warning was logged for, with whether they were used up.
  private var warned: [String: Bool] = [:]

  init(on shard: Shard) {
    self.shard = shard
    look()
    schedule()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    shard.services.quotas.record(in: shard.services.store)
    round += 1
    if round >= Self.sizeRounds {
      round = 0
      look()
    }
    schedule()
  }

  private func schedule() { _ = shard.loop.schedule(after: Self.recordInterval, self) }

  private func look() {
    let settings = shard.settings.limits.quotas
    guard settings.databaseBytes > 0 || settings.messagesStored > 0 else { return }
    let query = StoredSize(countingMessages: settings.messagesStored > 0)
    let path = shard.returnPath
    shard.services.store.perform(query, for: .server) { result, _ in
      path.resume { $0.quotaWatch?.didLook(result) }
    }
  }

  private func didLook(_ result: Result<StoredSize.Outcome, StoreError>) {
    // The last size stays until there is another.
    guard case .success(let size) = result else { return }
    shard.services.quotas.note(size)
    for (name, share) in shard.services.quotas.usedShares { warn(name, share) }
  }

  private func warn(_ name: String, _ share: Double) {
    guard share >= Self.warningShare else {
      warned[name] = nil
      return
    }
    guard warned[name] != (share >= 1) else { return }
    warned[name] = share >= 1
    shard.services.logger.warning(
      share >= 1
        ? "a quota is used up: messages of users are refused" : "a quota is nearly used up",
      metadata: ["quota": "\(name)", "used_percent": "\(Int(share * 100))"])
  }
}
