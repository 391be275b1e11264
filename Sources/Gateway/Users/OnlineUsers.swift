import Synchronization

/// The users with a session, for the lists of members: any thread may ask, and no answer waits for the
/// homes of the users.
///
/// Kept as hashes of the ids with the seed of the process, in half the memory of the ids: each user of the
/// server has one. Kept on a single server only, as groups need one.
final class OnlineUsers: Sendable {
  private let hashes = Mutex<Set<Int>>([])

  func insert(_ userID: String) {
    let hash = Self.hash(of: userID)
    hashes.withLock { _ = $0.insert(hash) }
  }

  func remove(_ userID: String) {
    let hash = Self.hash(of: userID)
    hashes.withLock { _ = $0.remove(hash) }
  }

  func contains(_ userID: String) -> Bool {
    let hash = Self.hash(of: userID)
    return hashes.withLock { $0.contains(hash) }
  }

  /// Those of some users who have a session.
  func among(_ userIDs: [String]) -> Set<String> { Set(userIDs.filter(contains)) }

  /// Ids are compared as bytes, as in the database.
  private static func hash(of userID: String) -> Int {
    var (hasher, userID) = (Hasher(), userID)
    userID.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    return hasher.finalize()
  }
}
