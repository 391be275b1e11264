/// A message that has reached a subscriber, as far as it is measured and checked.
package struct MessageReceipt: Sendable, Hashable {
  /// The channel's place in the plan.
  package let channel: UInt32
  package let seq: Int64
  package let stamp: MessageStamp

  package init(channel: UInt32, seq: Int64, stamp: MessageStamp) {
    self.channel = channel
    self.seq = seq
    self.stamp = stamp
  }
}

/// The channels of one run: their URLs hold the run and the channel's place in the plan.
package enum ChannelName {
  /// The length of a URL, in bytes.
  static let byteCount = 22

  /// `load-`, the run, and the place in the plan, in hexadecimal digits.
  package static func url(run: UInt32, channel: UInt32) -> String {
    var bytes = prefix(run: run)
    HexDigits.append(UInt64(channel), count: 8, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The channel's place in the plan; `nil` when it is none of this run's.
  package static func channel(of url: String, run: UInt32) -> UInt32? {
    let bytes = Array(url.utf8)
    guard bytes.count == byteCount, bytes.starts(with: prefix(run: run)) else { return nil }
    return HexDigits.read8(bytes.span.bytes, at: byteCount - 8)
  }

  static func prefix(run: UInt32) -> [UInt8] {
    var bytes = Array("load-".utf8)
    HexDigits.append(UInt64(run), count: 8, to: &bytes)
    bytes.append(UInt8(ascii: "-"))
    return bytes
  }
}
