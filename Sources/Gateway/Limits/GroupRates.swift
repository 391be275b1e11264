import Configuration
import FloodControl
import ParleyProtocol
import Synchronization

/// Counts the groups that users create and the users that they invite, on all shards of this server
/// together.
final class GroupRates: Sendable {
  private struct State {
    var windows: Windows
    var creations = FloodGate<String>()
    var invitations = FloodGate<String>()
  }

  private struct Windows {
    var creations: RateLimit
    var invitations: RateLimit

    init(_ settings: GroupSettings) {
      creations = RateLimit(count: settings.createdPerMinute, windowMilliseconds: 60_000)
      invitations = RateLimit(count: settings.invitesPerMinute, windowMilliseconds: 60_000)
    }
  }

  private let state: Mutex<State>
  private let queries = UserRates(
    perSecond: Limits.groupQueriesPerSecond,
    burst: Limits.groupQueryBurst)

  init(_ settings: GroupSettings) { state = Mutex(State(windows: Windows(settings))) }

  /// Adopts other limits; what users have done still counts.
  func adopt(_ settings: GroupSettings) { state.withLock { $0.windows = Windows(settings) } }

  /// Counts a new group with its first members.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  /// - Throws: 500910.
  func admitCreation(
    by userID: String, inviting count: Int, at now: Int64
  ) throws(ServiceError) {
    let refusal = state.withLock { state -> ServiceError? in
      let limit = state.windows.creations
      return state.creations.admit(userID, at: now, limit: limit).map { .rateLimited($0, limit) }
    }
    if let refusal { throw refusal }
    try admitInvitations(count, by: userID, at: now)
  }

  /// Counts a list, or a call for numbers over all groups.
  ///
  /// - Throws: 500910.
  func admitQuery(by userID: String, at now: Int64) throws(ServiceError) {
    guard let wait = queries.admit(userID, at: now) else { return }
    throw .rateLimited(
      retryAfter: wait, limit: Limits.groupQueriesPerSecond, window: 1_000, scope: "user")
  }

  /// Counts invited users.
  ///
  /// - Throws: 500910; then those that were counted stay counted.
  func admitInvitations(
    _ count: Int, by userID: String, at now: Int64
  ) throws(ServiceError) {
    let refusal = state.withLock { state -> ServiceError? in
      let limit = state.windows.invitations
      for _ in 0..<count {
        let refusal = state.invitations.admit(userID, at: now, limit: limit)
        if let refusal { return .rateLimited(refusal, limit) }
      }
      return nil
    }
    if let refusal { throw refusal }
  }
}

extension ServiceError {
  fileprivate static func rateLimited(_ refusal: FloodRefusal, _ limit: RateLimit) -> ServiceError {
    .rateLimited(
      retryAfter: refusal.wait, limit: limit.count, window: 60_000,
      scope: "user")
  }
}
