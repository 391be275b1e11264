/// Events that several streams share, without their numbers.
///
/// Copied once for all subscribers of a channel: each stream keeps a reference, for as long as its client
/// may ask for an event of the batch.
final class EventBatch {
  /// The fields of the events, one after another.
  let text: [UInt8]
  /// The end of each event in the text.
  let ends: [Int]
  /// The memory that each of the streams accounts for, in bytes.
  let share: Int

  /// - Parameters:
  ///   - frames: At least one event in the form of ``EventFrames``.
  ///   - sharers: The number of streams.
  init(_ frames: UnsafeRawBufferPointer, sharers: Int = 1) {
    var (text, ends): ([UInt8], [Int]) = ([], [])
    text.reserveCapacity(frames.count)
    EventFrames.forEach(in: frames) { fields in
      text.append(contentsOf: fields)
      ends.append(text.count)
    }
    share = text.count / max(sharers, 1)
    (self.text, self.ends) = (text, ends)
  }

  var count: Int { ends.count }

  /// The number of bytes of the first events as they are sent, with numbers from `first` on.
  func sentByteCount(of count: Int, numberedFrom first: UInt64) -> Int {
    guard count > 0 else { return 0 }
    let (fields, last) = (ends[count - 1], first + UInt64(count) - 1)
    let (digits, rest) = (Self.digitCount(of: first), Self.prefix.count + 1)
    if digits == Self.digitCount(of: last) { return fields + count * (digits + rest) }
    return (first...last).reduce(fields) { $0 + Self.digitCount(of: $1) + rest }
  }

  /// Appends events as they are sent: `id: 12\n`, and the fields.
  ///
  /// - Parameters:
  ///   - index: The first event.
  ///   - number: Its number.
  ///   - limit: The number of bytes; at least one event is appended.
  /// - Returns: The number of appended events.
  func append(
    from index: Int, numberedFrom number: UInt64, upTo limit: Int, to bytes: inout [UInt8]
  ) -> Int {
    withUnsafeTemporaryAllocation(byteCount: 26, alignment: 1) { line in
      var start = Self.write(number, to: line)
      return text.withUnsafeBytes { text in
        var (next, place) = (index, index > 0 ? ends[index - 1] : 0)
        let end = bytes.count + limit
        while next < ends.count {
          let size = line.count - start + ends[next] - place
          if next > index, bytes.count + size > end { break }
          bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[start...]))
          bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[place..<ends[next]]))
          place = ends[next]
          next += 1
          Self.increment(line, &start)
        }
        return next - index
      }
    }
  }

  /// Writes `id: 12\n` at the end of memory; returns its start.
  private static func write(_ number: UInt64, to line: UnsafeMutableRawBufferPointer) -> Int {
    var start = line.count - 1
    line[start] = UInt8(ascii: "\n")
    var rest = number
    repeat {
      start -= 1
      line[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    return writePrefix(to: line, before: start)
  }

  /// Writes the next number in place of the one in the line.
  private static func increment(_ line: UnsafeMutableRawBufferPointer, _ start: inout Int) {
    let first = start + prefix.count
    var place = line.count - 2
    while place >= first, line[place] == UInt8(ascii: "9") {
      line[place] = UInt8(ascii: "0")
      place -= 1
    }
    if place >= first {
      line[place] += 1
    } else {
      line[first - 1] = UInt8(ascii: "1")
      start = writePrefix(to: line, before: first - 1)
    }
  }

  private static func writePrefix(
    to line: UnsafeMutableRawBufferPointer, before place: Int
  ) -> Int {
    let start = place - prefix.count
    for (index, byte) in prefix.enumerated() { line[start + index] = byte }
    return start
  }

  private static let prefix = Array("id: ".utf8)

  private static func digitCount(of number: UInt64) -> Int {
    var (digits, rest) = (1, number / 10)
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    return digits
  }
}
