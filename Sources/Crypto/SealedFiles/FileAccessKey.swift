internal import Basics

/// The key that a user opens files with: `?auth=` and `Parley-File-Key`.
///
/// Opaque to clients: the user, the expiry time and the generation of the user's keys, encrypted under a
/// master key. Nothing of it is stored, and it is valid across restarts and on every server that has the
/// master key. A user's older keys become invalid when the user's generation is raised.
///
///     base64url( 1 ‖ 4-byte master key name ‖ nonce ‖ AES-256-GCM( expiry ‖ generation ‖ user id ) )
package struct FileAccessKey: Equatable, Sendable {
  package let userID: String
  /// The generation of the user's keys at the time of issue.
  package let generation: UInt64
  /// Milliseconds of Unix time.
  package let expiresAt: Int64

  package init(userID: String, generation: UInt64, expiresAt: Int64) {
    self.userID = userID
    self.generation = generation
    self.expiresAt = expiresAt
  }

  /// The text passed to the client.
  package func text(with keys: MasterKeys) -> String {
    let nonce = SecureRandom.bytes(count: AuthenticatedCipher.nonceByteCount)
    let head = Self.head(of: keys.current)
    var plain: [UInt8] = []
    plain.append(bigEndian: UInt64(bitPattern: expiresAt))
    plain.append(bigEndian: generation)
    plain += userID.utf8
    var cipher = AuthenticatedCipher(keys.current.key.derived(for: Self.purpose))
    return Base64URL.encode(head + nonce + cipher.seal(plain, nonce: nonce, context: head))
  }

  /// Parses a text received from a client.
  ///
  /// It costs at most one decryption of less than 800 bytes.
  ///
  /// - Returns: `nil` for any text that was not issued with one of the keys. The caller must check
  ///   whether the key has expired.
  package init?(text: String, keys: MasterKeys) {
    guard text.utf8.count <= Self.characterLimit, let bytes = Base64URL.decode(text.utf8),
      bytes.count > Self.fixedByteCount
    else { return nil }
    let head = Array(bytes[..<Self.headByteCount])
    guard let master = keys.all.first(where: { Self.head(of: $0) == head }) else { return nil }
    let start = Self.headByteCount + AuthenticatedCipher.nonceByteCount
    var cipher = AuthenticatedCipher(master.key.derived(for: Self.purpose))
    guard
      let plain = cipher.open(
        bytes, start..<bytes.count, nonce: Array(bytes[Self.headByteCount..<start]), context: head),
      plain.count > Self.numbersByteCount,
      let userID = String(validating: plain[Self.numbersByteCount...], as: UTF8.self)
    else { return nil }
    self.userID = userID
    expiresAt = Int64(bitPattern: UInt64(bigEndianBytes: plain[..<8]))
    generation = UInt64(bigEndianBytes: plain[8..<16])
  }

  private static let purpose = "parley file access key"
  /// A user id has at most 80 characters of at most four bytes; the rest is less than 64 bytes.
  private static let characterLimit = 600
  private static let headByteCount = 5
  private static let numbersByteCount = 16
  private static let fixedByteCount =
    headByteCount + AuthenticatedCipher.nonceByteCount + numbersByteCount
    + AuthenticatedCipher.tagByteCount

  private static func head(of master: MasterKey) -> [UInt8] {
    [1] + TokenDigest(of: master.id).bytes.prefix(4)
  }
}

extension Array where Element == UInt8 {
  fileprivate mutating func append(bigEndian number: UInt64) {
    for shift in stride(from: 56, through: 0, by: -8) {
      append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
    }
  }
}

extension UInt64 {
  fileprivate init(bigEndianBytes bytes: ArraySlice<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
