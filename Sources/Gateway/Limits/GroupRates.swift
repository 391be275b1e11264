import FloodControl
import ParleyProtocol
import Synchronization

/// Counts the groups that users create and the users that they invite, on all shards of this server
/// together.
final class GroupRates: Sendable {
  private struct State {
    var creations = FloodGate<String>()
    var invitations = FloodGate<String>()
  }

  private let state = Mutex(State())
  private let queries = UserRates(
    perSecond: Limits.groupQueriesPerSecond, burst: Limits.groupQueryBurst)

  private static let creations = RateLimit(
    count: Limits.groupCreationsPerMinute, windowMilliseconds: 60_000)
  private static let invitations = RateLimit(
    count: Limits.groupInvitationsPerMinute, windowMilliseconds: 60_000)

  /// Counts a new group with its first members.
  ///
  /// - Parameter now: Milliseconds of a steady clock.
  /// - Throws: 500910.
  func admitCreation(
    by userID: String, inviting count: Int, at now: Int64
  ) throws(ServiceError) {
    let refusal = state.withLock { state in
      state.creations.admit(userID, at: now, limit: Self.creations)
    }
    if let refusal { throw .rateLimited(refusal, Self.creations) }
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
    let refusal = state.withLock { state -> FloodRefusal? in
      for _ in 0..<count {
        let refusal = state.invitations.admit(userID, at: now, limit: Self.invitations)
        if refusal != nil { return refusal }
      }
      return nil
    }
    if let refusal { throw .rateLimited(refusal, Self.invitations) }
  }
}

extension ServiceError {
  fileprivate static func rateLimited(_ refusal: FloodRefusal, _ limit: RateLimit) -> ServiceError {
    .rateLimited(
      retryAfter: refusal.wait, limit: limit.count, window: 60_000,
      scope: "user")
  }
}
