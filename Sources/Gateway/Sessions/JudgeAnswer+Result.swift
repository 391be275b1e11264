import Channels
import ParleyProtocol

extension JudgeAnswer {
  /// The result of a call from a session.
  ///
  /// - Parameter epoch: Identifies the life of the channel's count of events.
  func encodedAsResult(epoch: String) -> [UInt8] {
    switch self {
    case .done, .imposed, .lifted: Array("{}".utf8)
    case .channel(let info): info.encodedAsResult()
    case .group(let group): group.encodedAsResult(epoch: epoch)
    case .own(let own): Self.result(own)
    case .historyReset(let own): Self.result(own, offset: own.visibleFrom)
    case .receipts(let receipts): Self.result(receipts)
    case .sent(let sent): sent.encodedAsResult()
    case .changed(let changed): Self.result(message: changed.json)
    case .message(let message): Self.result(message: message.encoded())
    }
  }

  /// Whether the answer has a number of unread messages, from which its receiver counts on with the
  /// events that follow.
  var isCounted: Bool {
    switch self {
    case .group, .own, .historyReset: true
    case .done, .channel, .receipts, .sent, .message, .changed, .imposed, .lifted: false
    }
  }

  /// - Parameter offset: The beginning of the history, if it has changed.
  private static func result(_ own: OwnMembership, offset: Int64? = nil) -> [UInt8] {
    JSONWriter.bytes(reserving: 512) {
      $0.object {
        $0.name("my")
        own.encode(into: &$0)
        if let offset { $0.member("ts_message_offset", offset) }
      }
    }
  }

  /// The result of `group.receipts`.
  private static func result(_ receipts: GroupReceipts) -> [UInt8] {
    JSONWriter.bytes(reserving: (receipts.read.count + receipts.delivered.count) * 48 + 32) {
      $0.object {
        $0.name("read")
        receipts.read.encode(into: &$0)
        $0.name("delivered")
        receipts.delivered.encode(into: &$0)
      }
    }
  }

  private static func result(message: [UInt8]) -> [UInt8] {
    JSONWriter.bytes(reserving: message.count + 16) { writer in
      writer.object { $0.member("message", raw: message) }
    }
  }
}

extension SentMessage {
  /// The result of `message.send`.
  fileprivate func encodedAsResult() -> [UInt8] {
    let message = shown.json
    return JSONWriter.bytes(reserving: message.count + 48) {
      $0.object {
        $0.member("message", raw: message)
        $0.member("seq", seq)
      }
    }
  }
}
