import Crypto
import ParleyProtocol

/// Permissions to open a session that are kept for a while, for storms of clients that reconnect.
///
/// A pure value; times are milliseconds of the steady clock.
struct SessionPermissions: Sendable {
  /// A user with a token.
  struct Key: Hashable, Sendable {
    private let userID: String
    private let token: [UInt8]

    init(userID: String, token: String) {
      self.userID = userID
      self.token = TokenDigest(of: token).bytes
    }
  }

  /// The answer of the app's back end.
  struct Permission: Sendable {
    let changes: HookChanges?
    fileprivate let end: Int64
  }

  /// Two generations of at most this many permissions; the older one is dropped as a whole.
  private static let capacity = 10_000

  private var newer: [Key: Permission] = [:]
  private var older: [Key: Permission] = [:]

  func find(_ key: Key, at now: Int64) -> Permission? {
    guard let kept = newer[key] ?? older[key], kept.end > now else { return nil }
    return kept
  }

  mutating func keep(_ changes: HookChanges?, _ key: Key, until end: Int64) {
    if newer.count >= Self.capacity { (older, newer) = (newer, [:]) }
    newer[key] = Permission(changes: changes, end: end)
  }

  mutating func removeAll() { (newer, older) = ([:], [:]) }
}
