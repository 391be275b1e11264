import Channels
import Crypto
import ParleyProtocol

/// The calls over the Platform API that a channel's judge has not answered.
struct PendingPlatformCalls {
  private var completions: [UInt64: ChannelHost.Answer] = [:]
  private var lastNumber: UInt64 = 0

  /// Keeps a call.
  ///
  /// - Returns: Its number.
  mutating func begin(_ completion: @escaping ChannelHost.Answer) -> UInt64 {
    lastNumber += 1
    completions[lastNumber] = completion
    return lastNumber
  }

  /// Ends a call.
  ///
  /// - Returns: The call's completion.
  mutating func end(_ number: UInt64) -> ChannelHost.Answer? {
    completions.removeValue(forKey: number)
  }
}

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
