import Channels
import Crypto
import ParleyProtocol

/// The calls over the Platform API that a channel's judge has not answered.
struct PendingPlatformCalls {
  private var completions: [UInt64: ChannelHost.Answer] = [:]
  /// The traces of the calls that have one.
  private(set) var traces: [UInt64: CallTrace] = [:]
  private var lastNumber: UInt64 = 0

  /// Keeps a call.
  ///
  /// - Parameter trace: The trace of the call, if it has one.
  /// - Returns: Its number.
  mutating func begin(
    of trace: CallTrace? = nil, _ completion: @escaping ChannelHost.Answer
  ) -> UInt64 {
    lastNumber += 1
    completions[lastNumber] = completion
    if let trace { traces[lastNumber] = trace }
    return lastNumber
  }

  /// Ends a call.
  ///
  /// - Returns: The call's completion.
  mutating func end(_ number: UInt64) -> ChannelHost.Answer? {
    if !traces.isEmpty { traces[number] = nil }
    return completions.removeValue(forKey: number)
  }
}

/// Identifiers that the server generates.
enum Identifiers {
  /// Generates an epoch for a channel.
  static func epoch() -> String { SecureRandom.base64URL(byteCount: 9) }

  /// Generates an id of 15 characters: a string of up to that length needs no allocation.
  static func session() -> String { SecureRandom.base64URL(byteCount: 11) }

  /// Generates the id of a long request.
  static func longRequestID() -> String { SecureRandom.hex(byteCount: 12) }

  /// Generates the URL of a channel that was created without one.
  static func channelURL() -> String {
    "parley_open_channel_\(SecureRandom.hex(byteCount: 12))"
  }

  /// Generates the URL of a group that was created without one, which strangers cannot guess.
  static func groupURL() -> String {
    "parley_group_channel_\(SecureRandom.hex(byteCount: 16))"
  }
}
