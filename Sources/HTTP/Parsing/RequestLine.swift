/// Parses a request line (RFC 9112 §3).
struct RequestLine {
  let method: String
  let target: String
  let version: HTTPVersion

  init(_ line: [UInt8]) throws(HTTPError) {
    let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .badRequest("The request line is not a method, a target and a version.")
    }
    guard HTTPSyntax.isToken(parts[0]) else {
      throw .badRequest("The method is not a token.")
    }
    version = try Self.parseVersion(parts[2])
    method = String(decoding: parts[0], as: UTF8.self)
    target = try Self.parseTarget(parts[1], method: method)
  }

  /// Parses `HTTP/1.0` or `HTTP/1.1`; other versions fail with 505, anything else with 400.
  static func parseVersion(_ bytes: ArraySlice<UInt8>) throws(HTTPError) -> HTTPVersion {
    let digits = Array(bytes.dropFirst(5))
    let isDigit = { (byte: UInt8) in (0x30...0x39).contains(byte) }
    guard bytes.starts(with: "HTTP/".utf8), digits.count == 3, digits[1] == UInt8(ascii: "."),
      isDigit(digits[0]), isDigit(digits[2])
    else { throw .badRequest("The version is not one of HTTP.") }
    switch (digits[0], digits[2]) {
    case (UInt8(ascii: "1"), UInt8(ascii: "1")): return .http11
    case (UInt8(ascii: "1"), UInt8(ascii: "0")): return .http10
    default: throw HTTPError(.httpVersionNotSupported, "Only HTTP/1.0 and HTTP/1.1 are supported.")
    }
  }

  /// Accepts the four forms of a target (RFC 9112 §3.2) in visible ASCII without a fragment.
  private static func parseTarget(
    _ bytes: ArraySlice<UInt8>, method: String
  ) throws(HTTPError) -> String {
    guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw .badRequest("The request target contains a character that is not allowed.")
    }
    let target = String(decoding: bytes, as: UTF8.self)
    let isAllowed =
      switch method {
      case "CONNECT": !bytes.isEmpty && !bytes.contains(UInt8(ascii: "/"))
      case "OPTIONS" where target == "*": true
      default: bytes.first == UInt8(ascii: "/") || isAbsolute(bytes)
      }
    guard isAllowed else {
      throw .badRequest("The request target is neither a path nor an http URL.")
    }
    return target
  }

  private static func isAbsolute(_ target: ArraySlice<UInt8>) -> Bool {
    guard let colon = target.firstIndex(of: UInt8(ascii: ":")) else { return false }
    let scheme = String(decoding: target[..<colon], as: UTF8.self)
    let isHTTP = ["http", "https", "ws", "wss"].contains {
      HTTPSyntax.equalIgnoringCase($0, scheme)
    }
    return isHTTP && target[colon...].starts(with: "://".utf8)
  }
}
