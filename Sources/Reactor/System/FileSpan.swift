/// A part of an open file on its way to a socket.
package struct FileSpan: Sendable {
  private let file: OpenFile
  private var offset: Int64
  /// The bytes that are left.
  package private(set) var count: Int64

  /// The whole of a file.
  package init(_ file: OpenFile) {
    self.file = file
    offset = 0
    count = file.byteCount
  }

  /// A part of a file, as far as the file has it.
  package init(_ file: OpenFile, _ range: Range<Int64>) {
    self.file = file
    let bounds = range.clamped(to: 0..<max(0, file.byteCount))
    offset = bounds.lowerBound
    count = bounds.upperBound - bounds.lowerBound
  }

  /// Nothing of the file.
  package func dropped() -> FileSpan {
    FileSpan(file, 0..<0)
  }

  /// Sends the next bytes to a socket, up to `limit`, and counts them off.
  ///
  /// - Returns: `.ended` when the file has become too short.
  package mutating func send(to socket: Int32, atMost limit: Int) -> TransferOutcome {
    let outcome = file.send(to: socket, from: offset, atMost: min(limit, Int(clamping: count)))
    if case .transferred(let sent) = outcome { advance(sent) }
    return outcome
  }

  /// Reads the next bytes, up to `limit`; none when the file has become too short.
  package mutating func next(atMost limit: Int) throws(SystemError) -> [UInt8] {
    let bytes = try file.read(from: offset, atMost: min(limit, Int(clamping: count)))
    advance(bytes.count)
    return bytes
  }

  private mutating func advance(_ sent: Int) {
    offset += Int64(sent)
    count -= Int64(sent)
  }
}
