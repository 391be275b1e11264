/// The parts of an absolute URL as written, split and checked for allowed characters (RFC 3986 §3).
///
///     https://user:word@example.org:8443/a/b?x=1#top
package struct URLParts: Sendable, Hashable {
  /// In lower case.
  package let scheme: String
  /// The text before the `@`; `nil` when there is none.
  package let userInfo: String?
  /// A name or an address, IPv6 in brackets; never empty.
  package let host: String
  package let port: UInt16?
  /// Empty, or begins with a slash.
  package let path: String
  /// The text after the question mark; `nil` when there is none.
  package let query: String?
  /// The text after the number sign; `nil` when there is none.
  package let fragment: String?

  /// Splits a URL with a host; `nil` for anything else.
  package init?(_ text: String) {
    guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
      PercentEncoding.decode(text.utf8) != nil, let colon = text.firstIndex(of: ":"),
      text[colon...].hasPrefix("://"), let scheme = Self.scheme(text[..<colon])
    else { return nil }
    self.scheme = scheme
    let (rest, fragment) = Self.cut(text[colon...].dropFirst(3), at: "#")
    let (hierarchy, query) = Self.cut(rest, at: "?")
    self.fragment = fragment.map { String($0) }
    self.query = query.map { String($0) }
    let end = hierarchy.firstIndex(of: "/") ?? hierarchy.endIndex
    path = String(hierarchy[end...])
    let mark = hierarchy[..<end].lastIndex(of: "@")
    userInfo = mark.map { String(hierarchy[..<$0]) }
    let authority = mark.map { hierarchy[hierarchy.index(after: $0)..<end] } ?? hierarchy[..<end]
    guard let parts = HostAndPort(splitting: Array(authority.utf8)[...]), Self.isHost(parts.host)
    else { return nil }
    host = String(decoding: parts.host, as: UTF8.self)
    guard let digits = parts.port else {
      port = nil
      return
    }
    guard let port = HostAndPort.number(of: digits), port > 0 else { return nil }
    self.port = port
  }

  /// The host in lower case, an IPv6 address without its brackets.
  package var bareHost: String {
    let name = host.lowercased()
    return name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
  }

  /// The parameters of the query, decoded; `nil` when a part of it is not `name=value`.
  package var parameters: [(name: String, value: String)]? {
    var parameters: [(name: String, value: String)] = []
    for part in (query ?? "").split(separator: "&") {
      let (name, value) = Self.cut(part, at: "=")
      guard let value, let name = PercentEncoding.text(name.utf8),
        let value = PercentEncoding.text(value.utf8)
      else { return nil }
      parameters.append((name, value))
    }
    return parameters
  }

  private static func cut(
    _ text: Substring, at separator: Character
  ) -> (Substring, Substring?) {
    guard let index = text.firstIndex(of: separator) else { return (text, nil) }
    return (text[..<index], text[text.index(after: index)...])
  }

  private static func scheme(_ text: Substring) -> String? {
    let scheme = text.lowercased()
    guard let first = scheme.utf8.first, isLetter(first) else { return nil }
    return scheme.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
      ? scheme : nil
  }

  private static func isHost(_ text: ArraySlice<UInt8>) -> Bool {
    if text.first == UInt8(ascii: "[") { return HostAndPort.isBracketedAddress(text) }
    return (1...253).contains(text.count)
      && text.allSatisfy { PercentEncoding.Literals.unreserved.contains($0) }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}
