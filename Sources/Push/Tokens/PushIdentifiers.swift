internal import Basics
internal import COpenSSL

/// The identifiers by which services and devices recognize a push that is sent twice.
package enum PushIdentifiers {
  private static let digestByteCount = 32
  private static let topicByteCount = 24

  /// The UUID of a message for one token (`apns-id`): always the same for both (RFC 9562 §5.8).
  package static func uuid(messageID: Int64, token: String) -> String {
    var bytes = Array(digest("\(messageID)\n\(token)").prefix(16))
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = Array(Hexadecimal.encode(bytes).utf8)
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map {
      String(decoding: digits[$0], as: UTF8.self)
    }
    return parts.joined(separator: "-")
  }

  /// The name under which a newer push replaces an older one that was not delivered: `apns-collapse-id`,
  /// and the tag of notifications on the device.
  package static func tag(messageID: Int64) -> String { String(messageID) }

  /// The `Topic` of a channel for Web Push: 32 characters that do not reveal it (RFC 8030 §5.4).
  package static func topic(channelURL: String) -> String {
    Base64URL.encode(digest(channelURL).prefix(topicByteCount))
  }

  /// - Precondition: Memory is available, as for every allocation of Swift itself.
  private static func digest(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: digestByteCount)
    precondition(SHA256(bytes, bytes.count, &digest) != nil, "OpenSSL has no memory for a digest")
    return digest
  }
}
