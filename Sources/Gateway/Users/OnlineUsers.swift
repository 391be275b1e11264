import Basics
import Synchronization

/// How a user is connected.
enum UserAttention {
  /// Without a session.
  case offline
  /// With sessions in the background only.
  case away
  /// With a session that is not in the background.
  case attentive
}

/// The users with a session, for the lists of members and for pushes: any thread may ask, and no answer
/// waits for the homes of the users.
///
/// Kept as hashes of the ids, in half the memory of the ids: each user of the deployment has one. Two
/// users with equal hashes only make each other look online. The users that are
/// at home on other servers are those of their last notices (``OnlineNotice``).
final class OnlineUsers: Sendable {
  /// The users at home on one server.
  private struct Users {
    private(set) var online: Set<UInt64> = []
    /// Those of them with sessions in the background only.
    private(set) var away: Set<UInt64> = []

    func attention(of hash: UInt64) -> UserAttention {
      guard online.contains(hash) else { return .offline }
      return away.contains(hash) ? .away : .attentive
    }

    mutating func set(_ hash: UInt64, _ attention: UserAttention) {
      switch attention {
      case .offline:
        online.remove(hash)
        away.remove(hash)
      case .away:
        online.insert(hash)
        away.insert(hash)
      case .attentive:
        online.insert(hash)
        away.remove(hash)
      }
    }
  }

  private struct State {
    /// The users at home on this server.
    var own = Users()
    /// The users at home on other servers, by their numbers.
    var others: [UInt16: Users] = [:]
    /// Those of this server who changed since the last notice.
    var changed: Set<UInt64> = []
  }

  /// Whether other servers are notified of changes.
  private let isShared: Bool
  private let state = Mutex(State())

  init(isShared: Bool = false) { self.isShared = isShared }

  /// Records how a user at home here is connected from now on.
  func note(_ userID: String, _ attention: UserAttention) {
    let hash = Self.hash(of: userID)
    state.withLock { state in
      guard state.own.attention(of: hash) != attention else { return }
      state.own.set(hash, attention)
      if isShared { state.changed.insert(hash) }
    }
  }

  func contains(_ userID: String) -> Bool {
    let hash = Self.hash(of: userID)
    return state.withLock { state in
      state.own.online.contains(hash)
        || state.others.values.contains { $0.online.contains(hash) }
    }
  }

  /// Those of some users who have a session.
  func among(_ userIDs: [String]) -> Set<String> { Set(userIDs.filter(contains)) }

  /// Whether a user has a session that is not in the background, so that nothing is pushed to it.
  func hasAttentiveSession(_ userID: String) -> Bool {
    let hash = Self.hash(of: userID)
    return state.withLock { state in
      state.own.attention(of: hash) == .attentive
        || state.others.values.contains { $0.attention(of: hash) == .attentive }
    }
  }

  /// Ids are compared as bytes, as in the database.
  fileprivate static func hash(of userID: String) -> UInt64 { FNV1a.hash(userID) }
}

// MARK: - Several servers

extension OnlineUsers {
  /// The number of users in one notice.
  private static let noticeSize = 4_000

  /// The notices of all users of this server, for a server that knows none of them.
  func all(from server: UInt16) -> [OnlineNotice] {
    let own = state.withLock { $0.own }
    let online = own.online.map { ($0, own.attention(of: $0)) }
    return [OnlineNotice(server: server, isFirst: true)] + Self.notices(of: online, from: server)
  }

  /// The notices of the changes since the last call.
  func takeChanges(from server: UInt16) -> [OnlineNotice] {
    let changes = state.withLock { state in
      defer { state.changed = [] }
      return state.changed.map { ($0, state.own.attention(of: $0)) }
    }
    return Self.notices(of: changes, from: server)
  }

  private static func notices(
    of users: [(hash: UInt64, attention: UserAttention)], from server: UInt16
  ) -> [OnlineNotice] {
    stride(from: 0, to: users.count, by: noticeSize).map { start in
      var notice = OnlineNotice(server: server)
      for user in users[start..<min(start + noticeSize, users.count)] {
        switch user.attention {
        case .offline: notice.offline.append(user.hash)
        case .away: notice.away.append(user.hash)
        case .attentive: notice.attentive.append(user.hash)
        }
      }
      return notice
    }
  }

  /// Takes a notice of another server.
  func take(_ notice: OnlineNotice) {
    state.withLock { state in
      var users =
        notice.isFirst ? Users() : state.others.removeValue(forKey: notice.server) ?? Users()
      for hash in notice.attentive { users.set(hash, .attentive) }
      for hash in notice.away { users.set(hash, .away) }
      for hash in notice.offline { users.set(hash, .offline) }
      state.others[notice.server] = users
    }
  }

  /// Forgets the users of servers that are gone.
  ///
  /// - Returns: Those of them who were attentive. A server that ends in order has none.
  func keep(_ servers: [UInt16]) -> LostUsers {
    state.withLock { state in
      var lost = LostUsers()
      for (server, users) in state.others where !servers.contains(server) {
        lost.hashes.formUnion(users.online.subtracting(users.away))
        state.others[server] = nil
      }
      return lost
    }
  }
}

/// The users with attentive sessions whose home has ended with all that it knew of them.
struct LostUsers: Sendable {
  fileprivate(set) var hashes: Set<UInt64> = []

  var isEmpty: Bool { hashes.isEmpty }

  func contains(_ userID: String) -> Bool { hashes.contains(OnlineUsers.hash(of: userID)) }
}

/// The users at home on a server whose sessions have begun, ended, or changed place.
///
/// Notices of a server arrive in order; after a loss of messages all of its users are sent again.
struct OnlineNotice: Equatable {
  let server: UInt16
  /// Whether all users of the server follow, instead of those that are known.
  var isFirst = false
  /// Hashes of the ids of users with a session that is not in the background.
  var attentive: [UInt64] = []
  /// Hashes of the ids of users with sessions in the background only.
  var away: [UInt64] = []
  /// Hashes of the ids of users without a session.
  var offline: [UInt64] = []
}

extension OnlineNotice {
  private static let headSize = 11

  /// The number of the server in two bytes, the flag, the numbers of attentive users and of those away in four
  /// each, and the hashes; the least significant byte of each number is first.
  var encoded: [UInt8] {
    let hashes = attentive + away + offline
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headSize + 8 * hashes.count)
    Self.append(UInt64(server), 2, to: &bytes)
    bytes.append(isFirst ? 1 : 0)
    Self.append(UInt64(attentive.count), 4, to: &bytes)
    Self.append(UInt64(away.count), 4, to: &bytes)
    for hash in hashes { Self.append(hash, 8, to: &bytes) }
    return bytes
  }

  /// - Returns: `nil` for bytes that are no notice.
  init?(encoded bytes: [UInt8]) {
    guard bytes.count >= Self.headSize, (bytes.count - Self.headSize) % 8 == 0, bytes[2] < 2 else {
      return nil
    }
    server = UInt16(Self.number(bytes[0..<2]))
    isFirst = bytes[2] == 1
    let attentiveCount = Int(Self.number(bytes[3..<7]))
    let onlineCount = attentiveCount + Int(Self.number(bytes[7..<Self.headSize]))
    let hashes = stride(from: Self.headSize, to: bytes.count, by: 8).map {
      Self.number(bytes[$0..<$0 + 8])
    }
    guard onlineCount <= hashes.count else { return nil }
    attentive = Array(hashes[..<attentiveCount])
    away = Array(hashes[attentiveCount..<onlineCount])
    offline = Array(hashes[onlineCount...])
  }

  private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> (index * 8))) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
