internal import COpenSSL

/// Authenticated encryption by AES-256-GCM (NIST SP 800-38D) with nonces of 96 bits.
///
/// A sealed message is the ciphertext, as long as the plain bytes, and 16 bytes that prove that it was
/// not changed. Two messages under one key and nonce reveal each other: the caller must ensure that no
/// nonce is used twice. One cipher serves any number of messages, one after another.
package struct AuthenticatedCipher: ~Copyable, Sendable {
  /// The length of a nonce in bytes.
  package static let nonceByteCount = 12
  /// The number of bytes that a sealed message has in addition to the plain one.
  package static let tagByteCount = 16

  nonisolated(unsafe) private let sealing: OpaquePointer
  nonisolated(unsafe) private let opening: OpaquePointer

  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  package init(_ key: borrowing SymmetricKey) {
    guard let sealing = EVP_CIPHER_CTX_new(), let opening = EVP_CIPHER_CTX_new(),
      EVP_EncryptInit_ex(sealing, EVP_aes_256_gcm(), nil, key.bytes, nil) == 1,
      EVP_DecryptInit_ex(opening, EVP_aes_256_gcm(), nil, key.bytes, nil) == 1
    else { preconditionFailure("OpenSSL has no memory for a cipher") }
    self.sealing = sealing
    self.opening = opening
  }

  deinit {
    EVP_CIPHER_CTX_free(sealing)
    EVP_CIPHER_CTX_free(opening)
  }

  /// Seals plain bytes.
  ///
  /// - Parameters:
  ///   - plain: At most 2^31 - 1 bytes, of which `slice` is sealed.
  ///   - nonce: 12 bytes that were not used with this key before.
  ///   - context: Bytes that are not sealed but must be the same when the message is opened.
  /// - Returns: The ciphertext and its tag.
  package mutating func seal(
    _ plain: [UInt8], _ slice: Range<Int>, nonce: [UInt8], context: [UInt8] = []
  ) -> [UInt8] {
    precondition(nonce.count == Self.nonceByteCount && slice.count <= Int(Int32.max))
    precondition(EVP_EncryptInit_ex(sealing, nil, nil, nil, nonce) == 1)
    var length: Int32 = 0
    if !context.isEmpty {
      precondition(EVP_EncryptUpdate(sealing, nil, &length, context, Int32(context.count)) == 1)
    }
    return [UInt8](unsafeUninitializedCapacity: slice.count + Self.tagByteCount) { output, count in
      guard let start = output.baseAddress else { return }
      plain.withUnsafeBufferPointer { plain in
        let part = UnsafeBufferPointer(rebasing: plain[slice])
        // OpenSSL would take an empty input for the context of a following message.
        guard let source = part.baseAddress, !part.isEmpty else { return }
        precondition(
          EVP_EncryptUpdate(sealing, start, &length, source, Int32(part.count)) == 1)
      }
      let tag = start + slice.count
      precondition(EVP_EncryptFinal_ex(sealing, tag, &length) == 1)
      precondition(
        EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_GCM_GET_TAG, Int32(Self.tagByteCount), tag) == 1)
      count = slice.count + Self.tagByteCount
    }
  }

  /// Seals plain bytes.
  package mutating func seal(
    _ plain: [UInt8], nonce: [UInt8], context: [UInt8] = []
  ) -> [UInt8] {
    seal(plain, plain.indices, nonce: nonce, context: context)
  }

  /// Opens a sealed message.
  ///
  /// - Returns: The plain bytes; `nil` unless they were sealed with this key, nonce and context, and
  ///   were not changed.
  package mutating func open(
    _ sealed: [UInt8], _ slice: Range<Int>, nonce: [UInt8], context: [UInt8] = []
  ) -> [UInt8]? {
    let plainCount = slice.count - Self.tagByteCount
    guard plainCount >= 0, slice.count <= Int(Int32.max), nonce.count == Self.nonceByteCount,
      EVP_DecryptInit_ex(opening, nil, nil, nil, nonce) == 1
    else { return nil }
    var length: Int32 = 0
    if !context.isEmpty {
      guard EVP_DecryptUpdate(opening, nil, &length, context, Int32(context.count)) == 1 else {
        return nil
      }
    }
    var tag = Array(sealed[slice.lowerBound + plainCount..<slice.upperBound])
    var isAuthentic = false
    let plain = [UInt8](unsafeUninitializedCapacity: max(plainCount, 1)) { output, count in
      let isDecrypted = sealed.withUnsafeBufferPointer { sealed in
        guard plainCount > 0, let start = sealed.baseAddress else { return true }
        return EVP_DecryptUpdate(
          opening, output.baseAddress, &length, start + slice.lowerBound, Int32(plainCount)) == 1
      }
      var rest: UInt8 = 0
      isAuthentic =
        isDecrypted
        && EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_GCM_SET_TAG, Int32(tag.count), &tag) == 1
        && EVP_DecryptFinal_ex(opening, &rest, &length) == 1
      // Unauthenticated bytes are never returned.
      count = isAuthentic ? plainCount : 0
    }
    return isAuthentic ? plain : nil
  }

  /// Opens a sealed message.
  package mutating func open(
    _ sealed: [UInt8], nonce: [UInt8], context: [UInt8] = []
  ) -> [UInt8]? {
    open(sealed, sealed.indices, nonce: nonce, context: context)
  }
}
