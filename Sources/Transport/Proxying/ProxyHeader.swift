package import Basics

/// The header of HAProxy's PROXY protocol, which a proxy sends first on a connection.
package enum ProxyHeader: Sendable, Hashable {
  /// The connection comes from this client.
  case client(PeerAddress)
  /// The proxy does not know the client, or connects for itself, such as for a health check. The client
  /// address is that of the connection.
  case itself
}

/// The error of a connection that did not begin with a PROXY header.
package struct ProxyHeaderError: Error, Hashable, CustomStringConvertible {
  /// A description of the error, without any part of the input.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// The rule for PROXY headers on a listener's connections.
package enum ProxyHeaderPolicy: Sendable {
  /// No PROXY header: connections begin with the client's bytes.
  case none
  /// A PROXY header is required; connections without one are closed.
  ///
  /// If networks are listed, connections from elsewhere are closed, too.
  case required(from: [Network])
}

/// Parses the header of the PROXY protocol at the start of a stream, in version 1 (a line of text) or
/// version 2 (binary).
///
///     1   PROXY TCP4 192.0.2.1 198.51.100.1 56324 443 CR LF          at most 107 bytes
///     2   signature:12  version,command:1  family:1  length:2  addresses  extensions
///
/// Independent of sockets. The parser stores only the header: at most ``maximumBytes``.
package struct ProxyHeaderParser: Sendable {
  /// The longest accepted version 2 header; the protocol itself allows up to 65,551 bytes.
  package static let maximumBytes = 4096

  private var header: [UInt8] = []

  /// Creates a parser at the start of a stream.
  package init() {}

  /// Consumes the next bytes of the stream.
  ///
  /// - Parameter input: Bytes received and not yet consumed, split anywhere.
  /// - Returns: The number of bytes that belong to the header, and the header once it is complete.
  ///   Without a header, all bytes were consumed.
  /// - Throws: At the first byte that cannot belong to a header. Close the connection without an answer:
  ///   the stream has no known beginning.
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

  /// Parses a header whose last byte has just arrived; `nil` when more are needed.
  private static func read(_ header: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader? {
    switch header[0] {
    case ProxyLine.start[0]: try ProxyLine.read(header)
    case ProxyBlock.signature[0]: try ProxyBlock.read(header)
    default: throw ProxyHeaderError("the connection does not begin with a PROXY header")
    }
  }
}

/// Version 1 of the PROXY protocol: a line of text.
enum ProxyLine {
  static let start = Array("PROXY ".utf8)
  /// Includes CR and LF, for `UNKNOWN` with the longest addresses.
  private static let maximumBytes = 107

  /// Parses a line whose last byte has just arrived; `nil` when more are needed.
  static func read(_ header: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader? {
    guard header.count > start.count else {
      guard start.starts(with: header) else {
        throw ProxyHeaderError("the connection does not begin with a PROXY header")
      }
      return nil
    }
    guard header.last == UInt8(ascii: "\n") else {
      guard header.count < maximumBytes else {
        throw ProxyHeaderError("a PROXY line is longer than \(maximumBytes) bytes")
      }
      return nil
    }
    guard header.dropLast().last == UInt8(ascii: "\r") else {
      throw ProxyHeaderError("a PROXY line ends without a carriage return")
    }
    return try parse(header.dropFirst(start.count).dropLast(2))
  }

  private static func parse(_ line: ArraySlice<UInt8>) throws(ProxyHeaderError) -> ProxyHeader {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    if words.first == "UNKNOWN" { return .itself }
    guard words.count == 5, words[0] == "TCP4" || words[0] == "TCP6" else {
      throw ProxyHeaderError("a PROXY line has no known protocol with two addresses and ports")
    }
    let isV4 = words[0] == "TCP4"
    let source = try address(words[1], port: words[3], isV4: isV4)
    // The server's own address is not used, but a line in which it is invalid is rejected.
    _ = try address(words[2], port: words[4], isV4: isV4)
    return .client(source)
  }

  private static func address(
    _ text: String, port: String, isV4: Bool
  ) throws(ProxyHeaderError) -> PeerAddress {
    guard let number = portNumber(port) else {
      throw ProxyHeaderError("a PROXY line has a wrong port")
    }
    guard text.contains(":") != isV4, let address = PeerAddress(host: text, port: number) else {
      throw ProxyHeaderError("a PROXY line has a wrong address")
    }
    return address
  }

  /// Parses a decimal 16-bit number without leading zeros.
  private static func portNumber(_ text: String) -> UInt16? {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      text == "0" || !text.hasPrefix("0")
    else { return nil }
    return UInt16(text)
  }
}

/// Version 2 of the PROXY protocol: a binary block.
enum ProxyBlock {
  static let signature: [UInt8] = [
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A,
  ]
  private static let fixedSize = 16

  private enum Command: UInt8 {
    case local = 0x20
    case proxy = 0x21
  }

  /// Parses a block whose last byte has just arrived; `nil` when more are needed.
  static func read(_ header: [UInt8]) throws(ProxyHeaderError) -> ProxyHeader? {
    guard signature.starts(with: header.prefix(signature.count)) else {
      throw ProxyHeaderError("the connection does not begin with a PROXY header")
    }
    guard header.count >= fixedSize else { return nil }
    guard let command = Command(rawValue: header[12]) else {
      throw ProxyHeaderError("a PROXY block has an unknown version or command")
    }
    let length = Int(header[14]) << 8 | Int(header[15])
    guard fixedSize + length <= ProxyHeaderParser.maximumBytes else {
      throw ProxyHeaderError(
        "a PROXY block is longer than \(ProxyHeaderParser.maximumBytes) bytes")
    }
    let family = header[13]
    guard length >= addressSize(of: family) else {
      throw ProxyHeaderError("a PROXY block is too short for its addresses")
    }
    guard header.count == fixedSize + length else { return nil }
    return command == .local ? .itself : client(family, header[fixedSize...])
  }

  /// The size of a family's two addresses with ports; protocols other than TCP over IP are skipped.
  private static func addressSize(of family: UInt8) -> Int {
    switch family {
    case 0x11: 12
    case 0x21: 36
    default: 0
    }
  }

  private static func client(_ family: UInt8, _ block: ArraySlice<UInt8>) -> ProxyHeader {
    let size = family == 0x11 ? 4 : 16
    guard addressSize(of: family) > 0 else { return .itself }
    let port = block.dropFirst(2 * size).prefix(2).reduce(UInt16(0)) { $0 << 8 | UInt16($1) }
    return PeerAddress(bytes: block.prefix(size), port: port).map { .client($0) } ?? .itself
  }
}
