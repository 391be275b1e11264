import Channels
import Crypto
import ParleyProtocol

/// The calls over the Platform API that a channel's judge has not answered.
struct PendingPlatformCalls {
  private struct Call {
    let completion: ChannelHost.Answer
    /// The file that came with the call.
    let upload: UploadedFile?
    var isHandedOver = false
  }

  private var calls: [UInt64: Call] = [:]
  private var lastNumber: UInt64 = 0

  /// Keeps a call.
  ///
  /// - Returns: Its number.
  mutating func begin(
    _ upload: UploadedFile?, _ completion: @escaping ChannelHost.Answer
  ) -> UInt64 {
    lastNumber += 1
    calls[lastNumber] = Call(completion: completion, upload: upload)
    return lastNumber
  }

  /// Leaves a call's file to the log: from now on its removal has to be asked for.
  mutating func handOverUpload(of number: UInt64) {
    calls[number]?.upload?.handOver()
    calls[number]?.isHandedOver = true
  }

  /// Ends a call; a file that came to belong to no message is removed.
  ///
  /// - Returns: The call's completion.
  mutating func end(
    _ number: UInt64, _ outcome: Result<JudgeAnswer, ServiceError>
  ) -> ChannelHost.Answer? {
    guard let call = calls.removeValue(forKey: number) else { return nil }
    if call.isHandedOver, !outcome.keepsUpload { call.upload?.remove() }
    return call.completion
  }
}

extension Result<JudgeAnswer, ServiceError> {
  /// Whether the file that came with the call belongs to a message now.
  fileprivate var keepsUpload: Bool {
    if case .success(.sent(let sent)) = self { sent.arrival == .sent } else { false }
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
