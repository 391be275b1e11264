/// Takes the header of the PROXY protocol off a stream's front, in version 1 (a line of text) or
/// version 2 (binary).
///
///     1   PROXY TCP4 192.0.2.1 198.51.100.1 56324 443 CR LF          at most 107 bytes
///     2   signature:12  version,command:1  family:1  length:2  addresses  extensions
///
/// Knows no socket. The header is all of what the parser ever holds: at most ``maximumBytes``.
package struct ProxyHeaderParser: Sendable {
  /// The longest header of version 2 that is taken; the protocol itself would allow 65,551 bytes.
  package static let maximumBytes = 4096

  private var header: [UInt8] = []

  /// Makes a parser at the beginning of a stream.
  package init() {}

  /// Takes the next bytes of the stream.
  ///
  /// - Parameter input: Bytes received and not yet taken, split anywhere.
  /// - Returns: How many of them belong to the header, and the header once it is complete; without
  ///   one all were taken.
  /// - Throws: At the first byte that can't belong to a header. Close the connection without an
  ///   answer: the stream has no known beginning.
  package mutating func receive(
    _ input: Span<UInt8>
  ) throws(ProxyHeaderError) -> (consumed: Int, header: ProxyHeader?) {
    var consumed = 0
    while consumed < input.count {
      header.append(input[consumed])
      consumed += 1
      if let complete = try Self.read(header) { return (consumed, complete) }
    }
    return (consumed, nil)
  }

  /// Reads a header of which the last byte has just come; `nil` when more are needed.
  private static func read(_ header: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader? {
    switch header[0] {
    case ProxyLine.start[0]: try ProxyLine.read(header)
    case ProxyBlock.signature[0]: try ProxyBlock.read(header)
    default: throw ProxyHeaderError("it begins like no PROXY header")
    }
  }
}
