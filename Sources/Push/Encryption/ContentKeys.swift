internal import COpenSSL

/// HMAC-SHA-256 (RFC 2104), by which HKDF (RFC 5869) derives up to 32 bytes in two steps.
enum HKDF {
  /// Derives up to 32 bytes from a secret.
  static func derive(
    from secret: [UInt8], salt: [UInt8], info: [UInt8], byteCount: Int
  ) -> [UInt8] {
    precondition((1...32).contains(byteCount))
    let key = code(of: secret, under: salt)
    return Array(code(of: info + [1], under: key).prefix(byteCount))
  }

  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  private static func code(of text: [UInt8], under key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    var count: UInt32 = 0
    let result = HMAC(EVP_sha256(), key, Int32(key.count), text, text.count, &code, &count)
    precondition(result != nil && count == 32, "OpenSSL has no memory for a code")
    return code
  }
}

/// Authenticated encryption by AES-128-GCM (NIST SP 800-38D), one message for each key.
enum AES128GCM {
  static let keyByteCount = 16
  static let nonceByteCount = 12
  static let tagByteCount = 16

  /// The ciphertext and its tag.
  ///
  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  static func seal(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8] {
    precondition(key.count == keyByteCount && nonce.count == nonceByteCount && !plain.isEmpty)
    guard let context = EVP_CIPHER_CTX_new() else {
      preconditionFailure("OpenSSL has no memory for a cipher")
    }
    defer { EVP_CIPHER_CTX_free(context) }
    var length: Int32 = 0
    var sealed = [UInt8](repeating: 0, count: plain.count)
    var tag = [UInt8](repeating: 0, count: tagByteCount)
    precondition(
      EVP_EncryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1
        && EVP_EncryptUpdate(context, &sealed, &length, plain, Int32(plain.count)) == 1
        && EVP_EncryptFinal_ex(context, &tag, &length) == 1
        && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, Int32(tagByteCount), &tag) == 1)
    return sealed + tag
  }
}
