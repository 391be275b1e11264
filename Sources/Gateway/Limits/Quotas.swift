import Configuration
import FloodControl
import ParleyProtocol
import Store
import Synchronization

/// The quotas of users and of the deployment, on all shards of this server.
///
/// Counts of a day go to the store each second, in one write for many messages. Several servers, and a server that
/// was killed, may let a user send for about a second beyond a quota. The size of what is stored is looked up
/// from time to time, and may be exceeded by what arrives in between.
final class Quotas: Sendable {
  fileprivate struct State {
    var settings: QuotaSettings { didSet { fullQuota = findFullQuota() } }
    var counts = DailyCounts()
    var isRecording = false
    var size = StoredSize.Outcome() { didSet { fullQuota = findFullQuota() } }
    /// The first quota of the deployment that is used up, which each message asks for.
    var fullQuota: UsedQuota?
  }

  /// The users whose counts are recorded in one write.
  private static let batchSize = 200

  private let state: Mutex<State>
  /// Whether a quota can refuse messages, so that without one a message costs a look at this.
  private let limitsMessages: Atomic<Bool>
  private let now: @Sendable () -> Int64

  /// - Parameter now: Unix milliseconds.
  init(_ settings: QuotaSettings, now: @escaping @Sendable () -> Int64) {
    state = Mutex(State(settings: settings))
    limitsMessages = Atomic(settings.limitMessages)
    self.now = now
  }

  /// Adopts other quotas; what users have done today still counts.
  func adopt(_ settings: QuotaSettings) {
    state.withLock { $0.settings = settings }
    limitsMessages.store(settings.limitMessages, ordering: .relaxed)
  }

  var settings: QuotaSettings { state.withLock { $0.settings } }

  // MARK: Users

  /// Counts a message of a user.
  ///
  /// - Returns: Whether it was counted, so that ``giveBackMessage(of:)`` may follow.
  /// - Throws: 500910 at the quota of the user, 500901 at one of the deployment.
  func takeMessage(of userID: String) throws(ServiceError) -> Bool {
    guard limitsMessages.load(ordering: .relaxed) else { return false }
    let outcome = state.withLock { state -> Result<Bool, ServiceError> in
      let settings = state.settings
      if let quota = state.fullQuota { return .failure(.storageFull(quota.name, quota.limit)) }
      let limit = settings.userMessagesPerDay
      guard limit > 0 else { return .success(false) }
      let wait = state.counts.admit(userID, .messages, limit: limit, at: now())
      return wait.map { .failure(.dailyQuota(.messages, limit, retryAfter: $0)) } ?? .success(true)
    }
    return try outcome.get()
  }

  /// Gives back a message that was counted and refused.
  func giveBackMessage(of userID: String) {
    state.withLock { $0.counts.giveBack(userID, .messages, at: now()) }
  }

  /// Counts an open channel that a user creates.
  ///
  /// - Throws: 500910.
  func takeChannel(of userID: String) throws(ServiceError) {
    let refusal = state.withLock { state -> ServiceError? in
      let limit = state.settings.userChannelsPerDay
      guard limit > 0 else { return nil }
      return state.counts.admit(userID, .channels, limit: limit, at: now()).map {
        .dailyQuota(.channels, limit, retryAfter: $0)
      }
    }
    if let refusal { throw refusal }
  }

  /// The counts of a user that the store does not have, or has already.
  func numbers(of userID: String) -> DailyCounts.Numbers {
    state.withLock { $0.counts.numbers(of: userID, at: now()) }
  }

  // MARK: The store

  /// Records what was counted since the last time, if that is done.
  func record(in store: Store) {
    let batch = state.withLock { state -> DailyCounts.Batch? in
      guard !state.isRecording else { return nil }
      let batch = state.counts.takeBatch(limit: Self.batchSize, at: now())
      state.isRecording = batch != nil
      return batch
    }
    guard let batch else { return }
    store.perform(UserDayRecord(batch)) { [self] result in
      let isLeft = state.withLock { state in
        state.isRecording = false
        switch result {
        case .success(let totals):
          state.counts.adopt(totals, of: batch, limit: state.settings.lowestOfDay)
        case .failure: state.counts.restore(batch)
        }
        return !state.counts.isIdle
      }
      if isLeft, case .success = result { record(in: store) }
    }
  }

  /// Adopts the size of what is stored.
  func note(_ size: StoredSize.Outcome) { state.withLock { $0.size = size } }

  /// The quotas of the deployment that are in force, as far as they were used at the last look-up.
  var deploymentQuotas: [UsedQuota] {
    state.withLock { $0.settings.deploymentQuotas(of: $0.size) }
  }

  /// The used part of these, by the name of the setting.
  var usedShares: [(name: String, share: Double)] {
    deploymentQuotas.map { ($0.name, Double($0.used) / Double($0.limit)) }
  }
}

extension Quotas.State {
  fileprivate func findFullQuota() -> UsedQuota? {
    settings.deploymentQuotas(of: size).first { $0.used >= $0.limit }
  }
}

extension QuotaSettings {
  /// Whether a quota can refuse messages.
  fileprivate var limitMessages: Bool {
    userMessagesPerDay > 0 || messagesStored > 0 || databaseBytes > 0
  }

  /// The lowest quota of a day in force.
  fileprivate var lowestOfDay: Int {
    [userMessagesPerDay, userChannelsPerDay].filter { $0 > 0 }.min() ?? .max
  }
}
