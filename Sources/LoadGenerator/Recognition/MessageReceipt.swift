/// The stamp in the `data` of a message, a text of fixed length: the sender, and the intended send
/// time.
///
///     plg1  run       sender    number    intended send time, ns
///           8 hex     8 hex     8 hex     16 hex digits
package struct MessageStamp: Sendable, Hashable {
  /// The length of the text, in bytes.
  package static let byteCount = 44
  /// The letters `plg1` at the start of every stamp.
  private static let mark: UInt32 = 0x706C_6731

  /// Identifies the run, so that messages of an earlier run are not counted.
  package let run: UInt32
  /// The sending connection, by its index in the plan.
  package let sender: UInt32
  /// The number of the message on that connection.
  package let number: UInt32
  /// In nanoseconds of the monotonic clock.
  package let intended: Int64

  package init(run: UInt32, sender: UInt32, number: UInt32, intended: Int64) {
    self.run = run
    self.sender = sender
    self.number = number
    self.intended = intended
  }

  /// Parses a stamp at an offset; `nil` if there is none.
  package init?(_ bytes: Span<UInt8>, at start: Int = 0) {
    guard start >= 0, bytes.count - start >= Self.byteCount else { return nil }
    let raw = bytes.bytes
    guard raw.unsafeLoadUnaligned(fromByteOffset: start, as: UInt32.self).bigEndian == Self.mark,
      let run = HexDigits.read8(raw, at: start + 4),
      let sender = HexDigits.read8(raw, at: start + 12),
      let number = HexDigits.read8(raw, at: start + 20),
      let intended = HexDigits.read16(raw, at: start + 28)
    else { return nil }
    self.init(run: run, sender: sender, number: number, intended: Int64(bitPattern: intended))
  }

  /// The stamp as text.
  package var text: String {
    var bytes = Array("plg1".utf8)
    HexDigits.append(UInt64(run), count: 8, to: &bytes)
    HexDigits.append(UInt64(sender), count: 8, to: &bytes)
    HexDigits.append(UInt64(number), count: 8, to: &bytes)
    HexDigits.append(UInt64(bitPattern: intended), count: 16, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// A message received by a subscriber, as far as it is measured and checked.
package struct MessageReceipt: Sendable, Hashable {
  /// The channel's index in the plan.
  package let channel: UInt32
  package let seq: Int64
  package let stamp: MessageStamp
}

/// The channels of one run: their URLs contain the run and the channel's index in the plan.
package enum ChannelName {
  /// The length of a URL, in bytes.
  static let byteCount = 22

  /// Returns `load-`, the run, and the index in the plan, in hexadecimal digits.
  package static func url(run: UInt32, channel: UInt32) -> String {
    var bytes = prefix(run: run)
    HexDigits.append(UInt64(channel), count: 8, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the channel's index in the plan; `nil` if it does not belong to this run.
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

/// Numbers of 8 or 16 hexadecimal digits in lower case.
enum HexDigits {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// Parses 8 digits at once; `nil` for anything else, or for fewer.
  ///
  /// All eight bytes are processed in parallel in one word. A letter has bit 6 set, and its value
  /// is 9 more than its low half. Formatting the values as digits again must return the input.
  static func read8(_ bytes: RawSpan, at offset: Int) -> UInt32? {
    guard offset >= 0, bytes.byteCount - offset >= 8 else { return nil }
    let text = UInt64(
      bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    var values = (text & (ones &* 0x0F)) &+ ((text >> 6) & ones) &* 9
    let letters = ((values &+ ones &* 6) >> 4) & ones
    guard values & (ones &* 0xF0) == 0, values &+ ones &* 0x30 &+ letters &* 0x27 == text else {
      return nil
    }
    values = (values | values >> 4) & 0x00FF_00FF_00FF_00FF
    values = (values | values >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: values | values >> 16)
  }

  /// Parses 16 digits.
  static func read16(_ bytes: RawSpan, at offset: Int) -> UInt64? {
    guard let high = read8(bytes, at: offset), let low = read8(bytes, at: offset + 8) else {
      return nil
    }
    return UInt64(high) << 32 | UInt64(low)
  }

  static func append(_ value: UInt64, count: Int, to bytes: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    for index in (0..<count).reversed() {
      bytes.append(digits[Int(truncatingIfNeeded: value >> (4 * UInt64(index))) & 0xf])
    }
  }
}
