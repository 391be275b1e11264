/// An event of a `text/event-stream`.
struct StreamEvent: Sendable, Hashable {
  /// The number of the event; `nil` without one.
  var id: UInt64?
  /// Empty for a message.
  var name = ""
  /// The lines of data, joined by line feeds.
  var data: [UInt8] = []
}

/// Parses the bytes of a `text/event-stream`, in pieces of any length, into events.
///
/// Lines end with CRLF, LF or CR. Comments and unknown fields are skipped, and an event that is not
/// complete at the end does not exist (HTML, "Server-sent events").
struct EventStreamReader: Sendable {
  /// An event, or a line that is not a comment, with more bytes than the limit.
  struct TooLarge: Error, Hashable {
    let limit: Int
  }

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let colon = UInt8(ascii: ":")
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]

  private let limit: Int
  private var line: [UInt8] = []
  /// The line is a comment, whose bytes are not kept.
  private var isComment = false
  /// The last byte was a CR, which a LF may follow.
  private var endsWithReturn = false
  private var isFirstLine = true
  private var event = StreamEvent()
  private var hasData = false

  /// - Parameter limit: The largest event in bytes, with the names of its fields.
  init(limit: Int) {
    self.limit = limit
  }

  /// Parses bytes.
  ///
  /// - Returns: The events that are complete now, in order.
  mutating func receive(_ bytes: [UInt8]) throws(TooLarge) -> [StreamEvent] {
    var events: [StreamEvent] = []
    var rest = bytes[...]
    if endsWithReturn, let first = rest.first {
      endsWithReturn = false
      if first == Self.lineFeed { rest.removeFirst() }
    }
    while let end = rest.firstIndex(where: { $0 == Self.lineFeed || $0 == Self.carriageReturn }) {
      try append(rest[..<end])
      if let event = try endLine() { events.append(event) }
      let isReturn = rest[end] == Self.carriageReturn
      rest = rest[(end + 1)...]
      guard isReturn else { continue }
      if rest.first == Self.lineFeed { rest.removeFirst() } else { endsWithReturn = rest.isEmpty }
    }
    try append(rest)
    return events
  }

  private mutating func append(_ bytes: ArraySlice<UInt8>) throws(TooLarge) {
    if line.isEmpty, bytes.first == Self.colon { isComment = true }
    guard !isComment else { return }
    guard bytes.count <= limit - line.count else { throw TooLarge(limit: limit) }
    line += bytes
  }

  /// Handles the end of a line; an empty line is the end of an event.
  private mutating func endLine() throws(TooLarge) -> StreamEvent? {
    defer {
      line.removeAll(keepingCapacity: line.capacity <= 65_536)
      isComment = false
    }
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
    }
    guard !isComment else { return nil }
    guard line.isEmpty else {
      try addField()
      return nil
    }
    defer { (event, hasData) = (StreamEvent(), false) }
    return hasData ? event : nil
  }

  private mutating func addField() throws(TooLarge) {
    let end = line.firstIndex(of: Self.colon) ?? line.endIndex
    var value = line[end...].dropFirst()
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    switch String(decoding: line[..<end], as: UTF8.self) {
    case "id": event.id = UInt64(String(decoding: value, as: UTF8.self))
    case "event": event.name = String(decoding: value, as: UTF8.self)
    case "data":
      guard value.count < limit - event.data.count else { throw TooLarge(limit: limit) }
      if hasData { event.data.append(Self.lineFeed) }
      hasData = true
      event.data += value
    default: break
    }
  }
}
