import Basics
import Synchronization

/// The users with a session, for the lists of members: any thread may ask, and no answer waits for the
/// homes of the users.
///
/// Kept as hashes of the ids, in half the memory of the ids: each user of the deployment has one. Two
/// users with equal hashes only make each other look online. The users that are
/// at home on other servers are those of their last notices (``OnlineNotice``).
final class OnlineUsers: Sendable {
  private struct State {
    /// The users at home on this server.
    var own: Set<UInt64> = []
    /// The users at home on other servers, by their numbers.
    var others: [UInt16: Set<UInt64>] = [:]
    /// Those of this server who changed since the last notice.
    var changed: Set<UInt64> = []
  }

  /// Whether other servers are notified of changes.
  private let isShared: Bool
  private let state = Mutex(State())

  init(isShared: Bool = false) { self.isShared = isShared }

  func insert(_ userID: String) { change(userID) { $0.insert($1).inserted } }

  func remove(_ userID: String) { change(userID) { $0.remove($1) != nil } }

  private func change(_ userID: String, _ change: (inout Set<UInt64>, UInt64) -> Bool) {
    let hash = Self.hash(of: userID)
    state.withLock { state in
      if change(&state.own, hash), isShared { state.changed.insert(hash) }
    }
  }

  func contains(_ userID: String) -> Bool {
    let hash = Self.hash(of: userID)
    return state.withLock { state in
      state.own.contains(hash) || state.others.values.contains { $0.contains(hash) }
    }
  }

  /// Those of some users who have a session.
  func among(_ userIDs: [String]) -> Set<String> { Set(userIDs.filter(contains)) }

  /// Ids are compared as bytes, as in the database.
  private static func hash(of userID: String) -> UInt64 { FNV1a.hash(userID) }
}

// MARK: - Several servers

extension OnlineUsers {
  /// The number of users in one notice.
  private static let noticeSize = 4_000

  /// The notices of all users of this server, for a server that knows none of them.
  func all(from server: UInt16) -> [OnlineNotice] {
    let own = state.withLock { Array($0.own) }
    var notices = [OnlineNotice(server: server, isFirst: true)]
    for start in stride(from: 0, to: own.count, by: Self.noticeSize) {
      let users = own[start..<min(start + Self.noticeSize, own.count)]
      notices.append(OnlineNotice(server: server, online: Array(users)))
    }
    return notices
  }

  /// The notices of the changes since the last call.
  func takeChanges(from server: UInt16) -> [OnlineNotice] {
    let (online, offline) = state.withLock { state in
      defer { state.changed = [] }
      return (
        state.changed.filter { state.own.contains($0) },
        state.changed.filter { !state.own.contains($0) }
      )
    }
    var notices: [OnlineNotice] = []
    var (came, went) = (Array(online)[...], Array(offline)[...])
    while !came.isEmpty || !went.isEmpty {
      notices.append(
        OnlineNotice(
          server: server, online: Array(came.prefix(Self.noticeSize)),
          offline: Array(went.prefix(Self.noticeSize))))
      (came, went) = (came.dropFirst(Self.noticeSize), went.dropFirst(Self.noticeSize))
    }
    return notices
  }

  /// Takes a notice of another server.
  func take(_ notice: OnlineNotice) {
    state.withLock { state in
      if notice.isFirst { state.others[notice.server] = [] }
      state.others[notice.server, default: []].formUnion(notice.online)
      state.others[notice.server]?.subtract(notice.offline)
    }
  }

  /// Forgets the users of servers that are gone.
  func keep(_ servers: [UInt16]) {
    state.withLock { state in state.others = state.others.filter { servers.contains($0.key) } }
  }
}

/// The users at home on a server who have got their first session or lost their last one.
///
/// Notices of a server arrive in order; after a loss of messages all of its users are sent again.
struct OnlineNotice: Equatable {
  let server: UInt16
  /// Whether all users of the server follow, instead of those that are known.
  var isFirst = false
  /// Hashes of ids.
  var online: [UInt64] = []
  var offline: [UInt64] = []
}

extension OnlineNotice {
  private static let headSize = 7

  /// The number of the server in two bytes, the flag, the number of users online in four, and the hashes; the
  /// least significant byte of each number is first.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headSize + 8 * (online.count + offline.count))
    Self.append(UInt64(server), 2, to: &bytes)
    bytes.append(isFirst ? 1 : 0)
    Self.append(UInt64(online.count), 4, to: &bytes)
    for hash in online + offline { Self.append(hash, 8, to: &bytes) }
    return bytes
  }

  /// - Returns: `nil` for bytes that are no notice.
  init?(encoded bytes: [UInt8]) {
    guard bytes.count >= Self.headSize, (bytes.count - Self.headSize) % 8 == 0, bytes[2] < 2 else {
      return nil
    }
    server = UInt16(Self.number(bytes[0..<2]))
    isFirst = bytes[2] == 1
    let onlineCount = Int(Self.number(bytes[3..<Self.headSize]))
    let hashes = stride(from: Self.headSize, to: bytes.count, by: 8).map {
      Self.number(bytes[$0..<$0 + 8])
    }
    guard onlineCount <= hashes.count else { return nil }
    (online, offline) = (Array(hashes[..<onlineCount]), Array(hashes[onlineCount...]))
  }

  private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (index * 8))) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
