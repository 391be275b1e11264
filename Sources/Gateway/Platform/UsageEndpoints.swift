import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Store
import Synchronization

/// `/v3/parley/usage`: what the deployment stores, and how much of its quotas is used.
enum UsageEndpoints {
  /// `GET …?user_id=`: the totals, or those of a user.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    if let userID = try call.query.optionalUserID("user_id") {
      return UserUsage.read(userID, for: call.caller, call.services, completion)
    }
    let (caller, services) = (call.caller, call.services)
    let now = services.clock.now
    if let known = services.usage.value(at: now) {
      return completion { known.encode(services, into: &$0) }
    }
    services.store.perform(StoredUsage(), for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      let found = result.map { UsageRecord.Value(usage: $0, measuredAt: now) }
      if case .success(let value) = found { services.usage.note(value) }
      completion(found.serviceResult) { $0.encode(services, into: &$1) }
    }
  }
}

/// The last measurement of what is stored, which is repeated when it is a minute old.
final class UsageRecord: Sendable {
  struct Value: Sendable {
    let usage: StoredUsage.Outcome
    /// Unix milliseconds.
    let measuredAt: Int64
  }

  private static let lifetime: Int64 = 60_000

  private let last = Mutex<Value?>(nil)

  /// - Parameter now: Unix milliseconds.
  func value(at now: Int64) -> Value? {
    last.withLock { $0 }.flatMap {
      (0..<Self.lifetime).contains(now - $0.measuredAt) ? $0 : nil
    }
  }

  func note(_ value: Value) { last.withLock { $0 = value } }
}

extension UsageRecord.Value {
  fileprivate func encode(_ services: GatewayServices, into writer: inout JSONWriter) {
    writer.object {
      $0.member("measured_at", measuredAt)
      $0.member("users", usage.userCount)
      $0.member("open_channels", usage.openChannelCount)
      $0.member("group_channels", usage.groupCount)
      $0.member("messages", usage.messageCount)
      $0.member("files", usage.fileCount)
      $0.member("bytes", object: { encodeBytes(services, into: &$0) })
      $0.member("quotas", quotas: services.quotas.settings.deploymentQuotas(of: size))
      $0.member(
        "top_channels",
        array: {
          for item in usage.topChannels {
            $0.object {
              $0.member("channel_url", item.name)
              $0.member("messages", item.count)
            }
          }
        })
      $0.member(
        "top_users",
        array: {
          for item in usage.topUsers {
            $0.object {
              $0.member("user_id", item.name)
              $0.member("files", item.count)
              $0.member("bytes", item.byteCount)
            }
          }
        })
    }
  }

  private func encodeBytes(_ services: GatewayServices, into writer: inout JSONWriter) {
    writer.member("database", usage.size.databaseByteCount)
    writer.member("search_index", Int64(services.searches.indexByteCount))
    writer.member("files", usage.fileByteCount)
    writer.member("thumbnails", usage.thumbnailByteCount)
    writer.member("audit_log", AuditFile.byteCount(at: services.settings.audit.log))
  }

  private var size: StoredSize.Outcome {
    StoredSize.Outcome(
      databaseByteCount: usage.size.databaseByteCount, messageCount: usage.messageCount)
  }
}

/// The data that a user has stored, and its counts of today.
private struct UserUsage: Sendable {
  let userID: String
  let totals: UserTotals
  let files: FileUsage

  static func read(
    _ userID: String, for caller: QueryCaller, _ services: GatewayServices,
    _ completion: Completion
  ) {
    let store = services.store
    store.perform(AccountLookup(userID)) { result in
      if case .failure(let error) = result.serviceResult.existing(userID) {
        return completion.fail(error)
      }
      UserTotals.read(userID, in: services) { totals in
        store.countFiles(of: userID, for: caller.principal) { files, cost in
          caller.pay(cost, to: services)
          do throws(ServiceError) {
            let usage = UserUsage(
              userID: userID, totals: try totals.get(), files: try files.serviceResult.get())
            completion { usage.encode(services.quotas.settings, into: &$0) }
          } catch {
            completion.fail(error)
          }
        }
      }
    }
  }

  func encode(_ quotas: QuotaSettings, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", userID)
      $0.member("joined_groups", totals.stored.joinedGroupCount)
      $0.member("created_groups", totals.stored.createdGroupCount)
      $0.member("operated_channels", totals.stored.operatedChannelCount)
      $0.member("files", files.count)
      $0.member("bytes", files.byteCount)
      $0.member("quotas", quotas: quotas.userQuotas(of: totals))
    }
  }
}
