internal import Basics
internal import ParleyProtocol
internal import Synchronization

/// The key with which a user opens files that need one: `?auth=`, or the field `Parley-File-Key`.
public struct FileKey: Sendable, Hashable {
  /// The opaque key.
  public var key: String
  /// Unix milliseconds.
  public var expiresAt: Int64

  /// Makes a key that the server has given.
  public init(key: String, expiresAt: Int64) {
    self.key = key
    self.expiresAt = expiresAt
  }

  /// Reads the member `file_key` of a result; `nil` where the server gives none.
  init?(result: JSONNode) {
    guard let member = result.present("file_key"), let key = member["key"]?.string, !key.isEmpty,
      let expiresAt = member["expires_at"]?.integer
    else { return nil }
    self.init(key: key, expiresAt: expiresAt)
  }
}

/// The latest file key of a client, which all of its messages share.
///
/// Messages read it when their addresses are asked for, so a message that was received long ago
/// has the key of today.
final class FileKeys: Sendable {
  private let latest = Mutex<FileKey?>(nil)

  /// The latest key; `nil` while the server gave none.
  var current: FileKey? { latest.withLock { $0 } }

  func keep(_ key: FileKey?) {
    latest.withLock { $0 = key }
  }
}

/// The address of a file or thumbnail, and the key that opens it.
///
/// Two addresses are equal when the bare addresses are.
struct KeyedAddress: Sendable, Hashable {
  /// The address without a key.
  let plain: String
  /// The holder of the key; `nil` for an address that needs none.
  ///
  /// An address that a sender gave never has one, so that no other server receives the key.
  private let keys: FileKeys?

  init(_ plain: String, openedBy keys: FileKeys?) {
    self.plain = plain
    self.keys = keys
  }

  /// The address with the key that the client has now.
  var keyed: String {
    guard let key = keys?.current else { return plain }
    return plain + (plain.utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + "auth="
      + PercentEncoding.encode(key.key)
  }

  static func == (one: KeyedAddress, other: KeyedAddress) -> Bool { one.plain == other.plain }

  func hash(into hasher: inout Hasher) { hasher.combine(plain) }
}
