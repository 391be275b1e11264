import Basics
import Crypto

/// The secret part of an upload's address: 192 random bits, of which the store has a hash.
struct UploadSecret: Sendable {
  private static let byteCount = 24

  private let bytes: [UInt8]

  /// Creates a new secret.
  init() {
    bytes = SecureRandom.bytes(count: Self.byteCount)
  }

  /// Opens a sealed secret; `nil` when it was sealed with another key.
  init?(sealed: [UInt8], fileID: String, key: [UInt8]) {
    guard sealed.count == Self.byteCount, let pad = Self.pad(fileID, key) else { return nil }
    bytes = zip(sealed, pad).map { $0 ^ $1 }
  }

  /// The secret as written in an address.
  var text: String { Base64URL.encode(bytes) }

  var hash: [UInt8] { Self.hash(ofText: text) }

  /// The hash of a secret in an address.
  ///
  /// Any text has a hash.
  static func hash(ofText text: String) -> [UInt8] { TokenDigest(of: text).bytes }

  /// Seals the secret for repetitions of the request that created it.
  ///
  /// The same key opens it, and is not in the store. Each upload has its own pad.
  func sealed(fileID: String, key: [UInt8]) -> [UInt8]? {
    Self.pad(fileID, key).map { pad in zip(bytes, pad).map { $0 ^ $1 } }
  }

  private static func pad(_ fileID: String, _ key: [UInt8]) -> [UInt8]? {
    HMACSHA256.code(of: Array(fileID.utf8), under: key)
  }
}
