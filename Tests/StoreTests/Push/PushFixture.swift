import Channels
import ParleyProtocol
import Push
import Synchronization
import Testing

@testable import Store

/// A store that writes push jobs, with a group `den` of ann, bob and cy, in which dan is invited.
struct PushFixture {
  let log: LogFixture
  let store: Store
  let den: LogChannel
  private let arrivals: Arrivals

  private final class Arrivals: Sendable {
    let all = Mutex<[PushArrival]>([])
  }

  static let stores = [LogKind.sqlite, .postgreSQL]
  static let delay: Int64 = 7

  init(_ kind: LogKind, pushesOpenChannelMentions: Bool = false) async throws {
    let arrivals = Arrivals()
    var options = StoreOptions()
    options.push = PushJobOptions(
      delayMilliseconds: Self.delay, pushesOpenChannelMentions: pushesOpenChannelMentions,
      didQueue: { new in arrivals.all.withLock { $0 += new } })
    log = try await LogFixture(kind, options: options)
    store = try #require(log.store)
    den = try #require(await log.create(inviting: ["bob", "cy", "dan"]).state?.place)
    self.arrivals = arrivals
  }

  /// Removes the reports of new jobs.
  func takeArrivals() -> [PushArrival] {
    arrivals.all.withLock { all in
      defer { all = [] }
      return all
    }
  }

  /// A message of the group at ten times its number.
  func message(_ id: Int64, by userID: String? = "ann") -> UnsequencedMessage {
    var message = log.counted(id, by: userID)
    message.pushes = .plain
    return message
  }

  @discardableResult
  func append(_ message: UnsequencedMessage, to place: LogChannel? = nil) async -> LogResult {
    await log.perform(.write(.append(message), place ?? den))
  }

  /// The due jobs.
  func jobs(
    at now: Int64 = .max, in share: OutboxShare = .everything, limit: Int = 100,
    except ids: [Int64] = []
  ) async throws -> PushJobs {
    try await store.perform(
      PushJobReading(at: now, in: share, limit: limit, except: ids), for: .server)
  }

  func backlog(in share: OutboxShare = .everything) async throws -> PushBacklog {
    try await store.perform(PushBacklogCount(in: share), for: .server)
  }

  func register(
    _ name: String, of userID: String, type: String = "gcm", device: String = "",
    unique: Bool = false, at now: Int64 = 1
  ) async throws {
    let json = """
      {"type":"\(type)","token":"\(name)","device_id":"\(device)","unique":\(unique)}
      """
    let call = try PushRegister(Fields(JSONDocument(json).root))
    try await store.perform(PushRegistration(call, of: userID, at: now))
  }

  func tokens(of userID: String) async throws -> [PushToken] {
    try await store.perform(PushTokens(of: userID))
  }

  func names(of userID: String) async throws -> [String] {
    try await tokens(of: userID).map(\.address.name)
  }

  func audience(of job: PushJob, limit: Int = 500) async throws -> PushAudience.Page {
    try await store.perform(PushAudience(of: job, limit: limit), for: .server)
  }
}
