import HTTP

/// Events on their way to several streams: the same bytes for all of them, without the numbers.
///
///     [length of the fields, 4 bytes][data: {…}, empty line] [length][data: …] …
enum EventFrames {
  private static let prefix = Array("data: ".utf8)
  private static let headerByteCount = 4

  /// Appends a text as one event.
  ///
  /// A line break in JSON is white space between its parts, and would end the field: it becomes a space.
  static func append(_ text: [UInt8], to frames: inout [UInt8]) {
    let length = UInt32(clamping: prefix.count + text.count + 2)
    frames.reserveCapacity(frames.count + headerByteCount + Int(length))
    withUnsafeBytes(of: length) { frames.append(contentsOf: $0) }
    frames.append(contentsOf: prefix)
    let start = frames.count
    frames.append(contentsOf: text)
    for index in start..<frames.count where frames[index] == 0x0a || frames[index] == 0x0d {
      frames[index] = UInt8(ascii: " ")
    }
    frames.append(UInt8(ascii: "\n"))
    frames.append(UInt8(ascii: "\n"))
  }

  /// Calls `body` with the fields of each event.
  static func forEach(in frames: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
    var place = 0
    while frames.count - place >= headerByteCount {
      let length = Int(frames.loadUnaligned(fromByteOffset: place, as: UInt32.self))
      let start = place + headerByteCount
      place = min(start + length, frames.count)
      body(UnsafeRawBufferPointer(rebasing: frames[start..<place]))
    }
  }

  /// The last event, `close`: `{"code":4002,"reason":"…"}`.
  static func closing(_ code: CloseCode, reason: String) -> [UInt8] {
    var data = Array("event: close\ndata: {\"code\":\(code.rawValue),\"reason\":\"".utf8)
    for byte in reason.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
        data.append(UInt8(ascii: "\\"))
      }
      data.append(byte < 0x20 ? UInt8(ascii: " ") : byte)
    }
    data += "\"}\n\n".utf8
    return withUnsafeBytes(of: UInt32(data.count)) { Array($0) } + data
  }
}
