import Synchronization

/// The users with a session, for the lists of members: any thread may ask, and no answer waits for the
/// homes of the users.
///
/// Kept on a single server only, as groups need one.
final class OnlineUsers: Sendable {
  private let ids = Mutex<Set<String>>([])

  func insert(_ userID: String) { ids.withLock { _ = $0.insert(userID) } }

  func remove(_ userID: String) { ids.withLock { _ = $0.remove(userID) } }

  func contains(_ userID: String) -> Bool { ids.withLock { $0.contains(userID) } }

  /// Those of some users who have a session.
  func among(_ userIDs: [String]) -> Set<String> {
    ids.withLock { ids in Set(userIDs.filter(ids.contains)) }
  }
}
