import Configuration
import FloodControl
import ParleyProtocol
import Store

/// A quota that is in force.
struct UsedQuota: Sendable, Hashable {
  /// The name of the setting.
  let name: String
  let used: Int64
  let limit: Int64
}

/// The numbers of a user that quotas limit.
struct UserTotals: Sendable {
  let stored: StoredUserUsage.Outcome
  /// Counts of today, in UTC.
  let today: DailyCounts.Numbers

  /// Reads the totals of a user, with counts of today that only this server has.
  static func read(
    _ userID: String, in services: GatewayServices,
    _ completion: @escaping @Sendable (Result<UserTotals, ServiceError>) -> Void
  ) {
    let store = services.store
    store.perform(StoredUserUsage(of: userID)) { stored in
      let day = services.clock.now / DailyCounts.day
      store.perform(UserDay(of: userID, on: day)) { recorded in
        let result = Result { () throws(ServiceError) in
          let recorded = try recorded.serviceResult.get()
          let here = services.quotas.numbers(of: userID)
          return UserTotals(
            stored: try stored.serviceResult.get(),
            today: DailyCounts.Numbers(
              messages: max(recorded.messages, here.messages),
              channels: max(recorded.channels, here.channels)))
        }
        completion(result)
      }
    }
  }
}

extension QuotaSettings {
  /// The quotas of users that are in force, as far as a user has used them.
  func userQuotas(of totals: UserTotals) -> [UsedQuota] {
    [
      UsedQuota(
        name: "limits.user_messages_per_day", used: totals.today.messages,
        limit: Int64(userMessagesPerDay)),
      UsedQuota(
        name: "limits.user_channels_per_day", used: totals.today.channels,
        limit: Int64(userChannelsPerDay)),
      UsedQuota(
        name: "limits.user_groups_created", used: totals.stored.createdGroupCount,
        limit: Int64(userGroupsCreated)),
    ].filter { $0.limit > 0 }
  }

  /// The quotas of the deployment that are in force, as far as they are used.
  func deploymentQuotas(of size: StoredSize.Outcome) -> [UsedQuota] {
    [
      UsedQuota(
        name: "limits.database_bytes", used: size.databaseByteCount, limit: databaseBytes),
      UsedQuota(name: "limits.messages_stored", used: size.messageCount, limit: messagesStored),
    ].filter { $0.limit > 0 }
  }
}

extension Quotas {
  /// The refusal of a user's next message by a quota; `nil` if none refuses it.
  func refusal(of totals: UserTotals, at now: Int64) -> ServiceError? {
    if let quota = deploymentQuotas.first(where: { $0.used >= $0.limit }) {
      return .storageFull(quota.name, quota.limit)
    }
    let limit = settings.userMessagesPerDay
    guard limit > 0, totals.today.messages >= limit else { return nil }
    return .dailyQuota(.messages, limit, retryAfter: DailyCounts.day - now % DailyCounts.day)
  }
}

extension JSONWriter {
  /// Writes a member with quotas.
  mutating func member(_ name: StaticString, quotas: [UsedQuota]) {
    member(
      name,
      array: {
        for quota in quotas {
          $0.object {
            $0.member("name", quota.name)
            $0.member("used", quota.used)
            $0.member("limit", quota.limit)
          }
        }
      })
  }
}
