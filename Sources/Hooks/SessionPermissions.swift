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

  /// Two generations of at most this many permissions and bytes; the older one is dropped as a whole.
  private static let capacity = 10_000
  private static let byteCapacity = 16_777_216

  private var newerBytes = 0
  private var newer: [Key: Permission] = [:]
  private var older: [Key: Permission] = [:]

  func find(_ key: Key, at now: Int64) -> Permission? {
    guard let kept = newer[key] ?? older[key], kept.end > now else { return nil }
    return kept
  }

  mutating func keep(_ changes: HookChanges?, _ key: Key, until end: Int64) {
    let byteCount = 256 + (changes?.byteCount ?? 0)
    if newer.count >= Self.capacity || newerBytes + byteCount > Self.byteCapacity {
      (older, newer, newerBytes) = (newer, [:], 0)
    }
    newerBytes += byteCount
    newer[key] = Permission(changes: changes, end: end)
  }

  mutating func removeAll() { (newer, older, newerBytes) = ([:], [:], 0) }
}
