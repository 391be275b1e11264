internal import Glibc
internal import ParleyProtocol

/// Recognizes the `message.received` events of one run without parsing them as JSON.
///
/// All events have the same form, as the server writes it, with the stamp at a fixed distance from
/// the end unless the message has a preview, mentions or similar members:
///
///     {"jsonrpc":"2.0","method":"message.received","params":{"channel_url":"load-…","seq":42,"ts":
///     … "data":"plg1…","custom_type":"", … "created_at":1730000000000,"updated_at":0}}}
///
/// Anything else is left to the JSON parser: a `nil` means nothing about the message.
package struct DeliveryScanner: Sendable {
  private static let headText = head(.messageReceived) + #","params":{"channel_url":""#
  private static let presenceHeads = [
    EventName.userEntered, .userExited, .participantCount,
  ].map { Array(head($0).utf8) }
  private static let seqName = Array(#"","seq":"#.utf8)
  private static let beforeTime = Array(
    #"","custom_type":"","mention_type":"users","mentioned_users":[],"sorted_metaarray":[],"og_tag":null,"translations":{},"file":null,"req_id":"","created_at":"#
      .utf8)
  private static let timeDigits = 13
  private static let end = Array(#","updated_at":0}}}"#.utf8)
  private static let dataName = Array(#""data":""#.utf8)

  private static func head(_ name: EventName) -> String {
    #"{"jsonrpc":"2.0","method":"\#(name.rawValue)""#
  }

  private let run: UInt32
  private let head: [UInt8]
  /// The distance from the start of the stamp to the end.
  private let stampDistance: Int

  package init(run: UInt32) {
    self.run = run
    head = Array(Self.headText.utf8) + ChannelName.prefix(run: run)
    stampDistance =
      MessageStamp.byteCount + Self.beforeTime.count + Self.timeDigits + Self.end.count
  }

  /// Returns the delivery in a message; `nil` if there is none or it has another form.
  package func delivery(in text: Span<UInt8>) -> MessageReceipt? {
    let channelStart = head.count
    var offset = channelStart + 8
    let stampStart = text.count - stampDistance
    guard offset + Self.seqName.count + 20 + Self.dataName.count < stampStart,
      Self.matches(text, at: 0, head),
      let channel = HexDigits.read8(text.bytes, at: channelStart),
      Self.matches(text, at: offset, Self.seqName)
    else { return nil }
    offset += Self.seqName.count
    guard let seq = Self.number(text, from: offset),
      Self.matches(text, at: stampStart - Self.dataName.count, Self.dataName),
      Self.matches(text, at: stampStart + MessageStamp.byteCount, Self.beforeTime),
      Self.matches(text, at: text.count - Self.end.count, Self.end),
      let stamp = MessageStamp(text, at: stampStart), stamp.run == run
    else { return nil }
    return MessageReceipt(channel: channel, seq: seq, stamp: stamp)
  }

  /// Returns whether the message reports that a user entered or left.
  ///
  /// These are ignored here, and very frequent when very many users connect.
  package static func isPresence(_ text: Span<UInt8>) -> Bool {
    presenceHeads.contains { matches(text, at: 0, $0) }
  }

  /// Compares bytes at once; the caller has checked that both ranges are within their bytes.
  private static func matches(_ text: Span<UInt8>, at start: Int, _ expected: [UInt8]) -> Bool {
    guard start >= 0, text.count - start >= expected.count else { return false }
    let count = expected.count
    return text.withUnsafeBufferPointer { text in
      expected.withUnsafeBufferPointer { expected in
        guard let text = text.baseAddress, let expected = expected.baseAddress else { return false }
        return memcmp(text + start, expected, count) == 0
      }
    }
  }

  /// Parses up to 15 digits followed by a comma; a `seq` cannot have more digits.
  private static func number(_ text: Span<UInt8>, from start: Int) -> Int64? {
    var value: Int64 = 0
    var index = start
    while index < text.count, index - start <= 15 {
      let digit = text[index] &- 0x30
      guard digit < 10 else {
        return text[index] == UInt8(ascii: ",") && index > start ? value : nil
      }
      value = value &* 10 &+ Int64(digit)
      index += 1
    }
    return nil
  }
}
