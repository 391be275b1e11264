/// The key of one stored file, wrapped with a master key.
///
/// It can be unwrapped only for the file and the kind of bytes that it was wrapped for: a key moved to
/// another row is useless.
package struct WrappedKey: Equatable, Sendable {
  /// The kind of bytes that a file's key protects.
  package enum Kind: Equatable, Sendable {
    /// The chunks of the file, up to the first chunk of another key.
    case chunks(from: UInt32)
    /// The bytes of an unfinished upload that do not fill a chunk.
    case tail
    /// A thumbnail created for a bounding box.
    case thumbnail(width: Int, height: Int)

    fileprivate var name: String {
      switch self {
      case .chunks(0): "file"
      case .chunks(let first): "file \(first)"
      case .tail: "tail"
      case .thumbnail(let width, let height): "thumbnail \(width)x\(height)"
      }
    }
  }

  /// The id of the master key.
  package let masterKeyID: String
  /// A nonce, the encrypted key and the tag: 60 bytes.
  package let sealed: [UInt8]

  /// Creates a key from the values in the store.
  package init(masterKeyID: String, sealed: [UInt8]) {
    self.masterKeyID = masterKeyID
    self.sealed = sealed
  }

  /// Wraps a key with the current master key.
  package init(_ key: SymmetricKey, of kind: Kind, ofFile fileID: String, with keys: MasterKeys) {
    var cipher = AuthenticatedCipher(keys.current.key.derived(for: Self.purpose))
    let nonce = SecureRandom.bytes(count: AuthenticatedCipher.nonceByteCount)
    masterKeyID = keys.current.id
    sealed = nonce + cipher.seal(key.bytes, nonce: nonce, context: Self.context(kind, fileID))
  }

  /// Unwraps the key.
  ///
  /// - Throws: ``WrappedKeyError``.
  package func open(
    of kind: Kind, ofFile fileID: String, with keys: MasterKeys
  ) throws(WrappedKeyError) -> SymmetricKey {
    guard let master = keys[masterKeyID] else { throw .missingMasterKey(masterKeyID) }
    var cipher = AuthenticatedCipher(master.key.derived(for: Self.purpose))
    let nonceByteCount = AuthenticatedCipher.nonceByteCount
    guard sealed.count > nonceByteCount,
      let bytes = cipher.open(
        sealed, nonceByteCount..<sealed.count, nonce: Array(sealed[..<nonceByteCount]),
        context: Self.context(kind, fileID)),
      let key = SymmetricKey(bytes)
    else { throw .notAuthentic }
    return key
  }

  /// Wraps the same key with the current master key; `nil` when it is wrapped with it already.
  package func rewrapped(
    of kind: Kind, ofFile fileID: String, with keys: MasterKeys
  ) throws(WrappedKeyError) -> WrappedKey? {
    guard masterKeyID != keys.current.id else { return nil }
    let key = try open(of: kind, ofFile: fileID, with: keys)
    return WrappedKey(key, of: kind, ofFile: fileID, with: keys)
  }

  private static let purpose = "parley file key"

  private static func context(_ kind: Kind, _ fileID: String) -> [UInt8] {
    // A kind contains no NUL, so that no two pairs produce the same bytes.
    Array(kind.name.utf8) + [0] + Array(fileID.utf8)
  }
}

/// The reason why a wrapped key cannot be opened.
package enum WrappedKeyError: Error, Equatable, Sendable {
  /// The master key is not among those configured by the operator.
  case missingMasterKey(String)
  /// It was wrapped for another file or kind, or with another key of the same id, or was changed.
  case notAuthentic
}
