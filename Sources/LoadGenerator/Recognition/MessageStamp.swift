/// The stamp of a message in its `data`, a text of fixed length: its sender, and its intended send
/// time.
///
///     plg1  run       sender    number    intended send time, ns
///           8 hex     8 hex     8 hex     16 hex digits
package struct MessageStamp: Sendable, Hashable {
  /// The length of the text, in bytes.
  package static let byteCount = 44
  /// The letters `plg1`, with which every stamp begins.
  private static let mark: UInt32 = 0x706C_6731

  /// Names the run, so that messages of an earlier one are not mistaken.
  package let run: UInt32
  /// The connection that sent it, by its place in the plan.
  package let sender: UInt32
  /// Counts the messages of that connection.
  package let number: UInt32
  /// Nanoseconds of the monotonic clock.
  package let intended: Int64

  package init(run: UInt32, sender: UInt32, number: UInt32, intended: Int64) {
    self.run = run
    self.sender = sender
    self.number = number
    self.intended = intended
  }

  /// Reads a stamp that begins at an offset; `nil` when there is none.
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
