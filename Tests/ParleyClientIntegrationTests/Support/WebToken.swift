import Basics
import COpenSSL
import Glibc

/// A JSON Web Token as a back end would issue it (HS256).
enum WebToken {
  static let secret = "a secret of at least thirty-two bytes"

  /// A token that expires so many seconds from now.
  static func make(userID: String, expiresIn seconds: Int) -> String {
    let head = encoded(#"{"alg":"HS256","typ":"JWT"}"#)
    let body = encoded(#"{"sub":"\#(userID)","exp":\#(time(nil) + seconds)}"#)
    let text = "\(head).\(body)"
    return "\(text).\(Base64URL.encode(signature(of: text)))"
  }

  private static func encoded(_ json: String) -> String { Base64URL.encode(json.utf8) }

  private static func signature(of text: String) -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    let (key, message) = (Array(secret.utf8), Array(text.utf8))
    HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &digest, &length)
    return Array(digest.prefix(Int(length)))
  }
}
