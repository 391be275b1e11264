import COpenSSL
import ParleyProtocol
import TestSupport

@testable import Push

/// The receiving side of Web Push, which decrypts by RFC 8291 §4.
struct Browser {
  let key: P256Secret
  let secret: [UInt8]

  init(key: P256Secret, secret: [UInt8]) {
    self.key = key
    self.secret = secret
  }

  init(_ generator: inout SeededGenerator) {
    key = .any(&generator)
    secret = generator.bytes(WebPushSubscription.secretByteCount)
  }

  var subscription: WebPushSubscription {
    WebPushSubscription(
      endpoint: "https://push.example/1", publicKey: key.publicKey.bytes, secret: secret)
  }

  func receiver() throws -> WebPushReceiver { try WebPushReceiver(subscription) }

  /// The plain text of one record; `nil` unless it is authentic.
  func open(_ message: [UInt8]) -> [UInt8]? {
    guard message.count > 86 + 16, message[20] == 65,
      let sender = P256Point(Array(message[21..<86]))
    else { return nil }
    let salt = Array(message[..<16])
    let shared = HKDF.derive(
      from: key.agreed(with: sender), salt: secret,
      info: Array("WebPush: info\0".utf8) + key.publicKey.bytes + sender.bytes, byteCount: 32)
    let contentKey = HKDF.derive(
      from: shared, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8), byteCount: 16)
    let nonce = HKDF.derive(
      from: shared, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), byteCount: 12)
    guard var plain = decrypt(Array(message[86...]), contentKey, nonce) else { return nil }
    while plain.last == 0 { plain.removeLast() }
    return plain.popLast() == 2 ? plain : nil
  }

  private func decrypt(_ sealed: [UInt8], _ key: [UInt8], _ nonce: [UInt8]) -> [UInt8]? {
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    var tag = Array(sealed.suffix(16))
    let ciphertext = Array(sealed.dropLast(16))
    var plain = [UInt8](repeating: 0, count: ciphertext.count)
    var rest: [UInt8] = [0]
    var length: Int32 = 0
    guard EVP_DecryptInit_ex(context, EVP_aes_128_gcm(), nil, key, nonce) == 1,
      EVP_DecryptUpdate(context, &plain, &length, ciphertext, Int32(ciphertext.count)) == 1,
      EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, &tag) == 1,
      EVP_DecryptFinal_ex(context, &rest, &length) == 1
    else { return nil }
    return plain
  }
}

extension P256Secret {
  /// A secret for tests.
  static func any(_ generator: inout SeededGenerator) -> P256Secret {
    while true {
      if let secret = P256Secret(generator.bytes(byteCount)) { return secret }
    }
  }
}
