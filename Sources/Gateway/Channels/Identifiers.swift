import Crypto

/// Names that the server makes.
enum Identifiers {
  /// A new life of a channel's count of events.
  static func epoch() -> String { SecureRandom.base64URL(byteCount: 9) }

  /// Of 15 characters: a string of no more takes no memory of its own.
  static func session() -> String { SecureRandom.base64URL(byteCount: 11) }

  /// The URL of a channel whose creator gave none.
  static func channelURL() -> String {
    "parley_open_channel_\(SecureRandom.hex(byteCount: 12))"
  }
}
