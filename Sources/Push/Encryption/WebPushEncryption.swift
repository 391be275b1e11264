package import ParleyProtocol

/// The keys of a browser that its subscription contains, checked.
package struct WebPushReceiver: Sendable, Hashable {
  package let publicKey: P256Point
  package let secret: [UInt8]

  /// Checks the keys of a subscription.
  ///
  /// - Throws: 400111 unless the public key is on its curve.
  package init(_ subscription: WebPushSubscription) throws(ServiceError) {
    guard let publicKey = P256Point(subscription.publicKey),
      subscription.secret.count == WebPushSubscription.secretByteCount
    else { throw .pushKeyNotOnCurve }
    self.publicKey = publicKey
    secret = subscription.secret
  }
}

/// Encrypts a message for one browser (RFC 8291), as one record of the coding `aes128gcm` (RFC 8188).
///
///     salt 16 │ record size 4 │ 65 │ public key of the message 65 │ ciphertext and tag
package enum WebPushEncryption {
  package static let contentEncoding = "aes128gcm"
  package static let saltByteCount = 16
  /// The size of a record; with more, push services refuse the message.
  private static let recordByteCount = 4_096
  private static let headerByteCount =
    saltByteCount + 4 + 1 + WebPushSubscription.publicKeyByteCount
  /// The byte that ends the plain text of the last record.
  private static let delimiter: UInt8 = 2
  /// The longest plain text, in bytes.
  package static let plainByteCount =
    recordByteCount - headerByteCount - AES128GCM.tagByteCount - 1

  /// Encrypts a message.
  ///
  /// - Parameters:
  ///   - plain: At most ``plainByteCount`` bytes.
  ///   - key: A secret that is used for this message alone.
  ///   - salt: 16 random bytes that are used for this message alone.
  package static func encrypt(
    _ plain: [UInt8], to receiver: WebPushReceiver, key: P256Secret, salt: [UInt8]
  ) -> [UInt8] {
    precondition(plain.count <= plainByteCount && salt.count == saltByteCount)
    let sender = key.publicKey.bytes
    let secret = HKDF.derive(
      from: key.agreed(with: receiver.publicKey), salt: receiver.secret,
      info: Array("WebPush: info\0".utf8) + receiver.publicKey.bytes + sender, byteCount: 32)
    let contentKey = HKDF.derive(
      from: secret, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8),
      byteCount: AES128GCM.keyByteCount)
    let nonce = HKDF.derive(
      from: secret, salt: salt, info: Array("Content-Encoding: nonce\0".utf8),
      byteCount: AES128GCM.nonceByteCount)
    var message: [UInt8] = []
    message.reserveCapacity(headerByteCount + plain.count + AES128GCM.tagByteCount + 1)
    message += salt
    for shift in [24, 16, 8, 0] { message.append(UInt8(recordByteCount >> shift & 0xff)) }
    message.append(UInt8(sender.count))
    message += sender
    message += AES128GCM.seal(plain + [delimiter], key: contentKey, nonce: nonce)
    return message
  }
}
