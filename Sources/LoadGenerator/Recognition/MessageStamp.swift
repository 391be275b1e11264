/// What a message says of itself in its `data`, in a text of fixed length: whose it is, and when it
/// was to be sent.
///
///     plg1  run       sender    number    intended send time, ns
///           8 hex     8 hex     8 hex     16 hex digits
package struct MessageStamp: Sendable, Hashable {
  /// The length of the text, in bytes.
  package static let byteCount = 44
  private static let mark = Array("plg1".utf8)

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
    for (index, byte) in Self.mark.enumerated() where bytes[start + index] != byte { return nil }
    guard let run = HexDigits.read(bytes, from: start + 4, count: 8),
      let sender = HexDigits.read(bytes, from: start + 12, count: 8),
      let number = HexDigits.read(bytes, from: start + 20, count: 8),
      let intended = HexDigits.read(bytes, from: start + 28, count: 16)
    else { return nil }
    self.init(
      run: UInt32(truncatingIfNeeded: run), sender: UInt32(truncatingIfNeeded: sender),
      number: UInt32(truncatingIfNeeded: number), intended: Int64(truncatingIfNeeded: intended))
  }

  /// The stamp as text.
  package var text: String {
    var bytes = Self.mark
    HexDigits.append(UInt64(run), count: 8, to: &bytes)
    HexDigits.append(UInt64(sender), count: 8, to: &bytes)
    HexDigits.append(UInt64(number), count: 8, to: &bytes)
    HexDigits.append(UInt64(bitPattern: intended), count: 16, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
