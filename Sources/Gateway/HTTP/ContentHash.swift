import Bytes
import COpenSSL

/// What tells one content from every other: its SHA-256, written in Base64.
enum ContentHash {
  static func base64(of content: [UInt8]) -> String {
    var digest = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_LENGTH))
    SHA256(content, content.count, &digest)
    return Base64.encode(digest)
  }
}
