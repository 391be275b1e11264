/// Counts the compressions that a response's head announces, one line at a time.
///
/// Each layer may blow its input up a thousand times before anything comes out that a limit could
/// count, so only one is undone.
struct BodyCodings {
  private(set) var count = 0

  /// - Parameter line: A header field or a status line, as it came.
  mutating func receive(_ line: UnsafeBufferPointer<UInt8>) {
    // Nearly all other fields differ in the first letter.
    guard let first = line.first.map({ $0 | 0x20 }), first == 0x63 || first == 0x74,
      let colon = line.firstIndex(of: UInt8(ascii: ":"))
    else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    guard name == "content-encoding" || name == "transfer-encoding" else { return }
    let codings = String(decoding: line[(colon + 1)...], as: UTF8.self).lowercased()
    for coding in codings.split(whereSeparator: { $0 == "," || $0.isWhitespace })
    where coding != "chunked" && coding != "identity" {
      count += 1
    }
  }
}
