internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104).
package enum HMACSHA256 {
  /// The 32 bytes that prove who knows `secret` and that `text` is unchanged, or `nil` when OpenSSL
  /// has no memory for them.
  package static func code(of text: [UInt8], under secret: [UInt8]) -> [UInt8]? {
    guard let secretSize = Int32(exactly: secret.count) else { return nil }
    var code = [UInt8](repeating: 0, count: 32)
    var size: UInt32 = 0
    let result = HMAC(EVP_sha256(), secret, secretSize, text, text.count, &code, &size)
    return result != nil && size == 32 ? code : nil
  }
}
