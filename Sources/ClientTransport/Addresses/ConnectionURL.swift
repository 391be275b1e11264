internal import Basics

/// The parts of a URL that determine where to connect (RFC 3986 §3).
///
///     wss://user:word@example.org:8080/v1/ws?x=1
///     scheme  userinfo     host    port  target
struct ConnectionURL: Sendable, Hashable {
  let scheme: String
  /// As written, without the `@`; `nil` if there is none.
  let userInfo: String?
  /// In lower case; an IPv6 address without its brackets.
  let host: String
  let port: UInt16?
  /// Path and query as written; empty if there are none.
  let target: String

  private static let lengthLimit = 2048

  /// Parses a URL.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)`` with the reason.
  init(_ url: String) throws(ConnectionPlanError) {
    guard url.utf8.count <= Self.lengthLimit else {
      throw .invalidConfiguration("a URL is longer than \(Self.lengthLimit) bytes")
    }
    guard url.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      throw .invalidConfiguration("\(Self.quoted(url)) holds a blank or a character beyond ASCII")
    }
    guard let scheme = Self.scheme(of: url) else {
      throw .invalidConfiguration(
        "\(Self.quoted(url)) is no URL: a scheme such as ws:// is missing")
    }
    self.scheme = scheme.lowercased()
    let rest = url.dropFirst(scheme.count + 3)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    guard !rest[end...].contains("#") else {
      throw .invalidConfiguration("\(Self.quoted(url)) has a fragment")
    }
    target = String(rest[end...])
    let parts = rest[..<end].split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2 else {
      throw .invalidConfiguration("\(Self.quoted(url)) has more than one @ before its path")
    }
    userInfo = parts.count == 2 ? String(parts[0]) : nil
    (host, port) = try Self.hostAndPort(parts[parts.count - 1], in: url)
  }

  private static func scheme(of url: String) -> Substring? {
    let scheme = url.prefix { $0.isLetter || $0.isNumber }
    return !scheme.isEmpty && url.dropFirst(scheme.count).hasPrefix("://") ? scheme : nil
  }

  private static func hostAndPort(
    _ text: Substring, in url: String
  ) throws(ConnectionPlanError) -> (String, UInt16?) {
    guard let parts = HostAndPort(splitting: Array(text.utf8)[...]) else {
      throw .invalidConfiguration("\(quoted(url)) has something behind the host's bracket")
    }
    let host = try name(parts.host, in: url)
    guard let digits = parts.port else { return (host, nil) }
    guard let port = HostAndPort.number(of: digits), port > 0 else {
      throw .invalidConfiguration("\(quoted(url)) has no valid port: 1 to 65535 is expected")
    }
    return (host, port)
  }

  private static func name(
    _ host: ArraySlice<UInt8>, in url: String
  ) throws(ConnectionPlanError) -> String {
    if host.first == UInt8(ascii: "[") {
      guard host.last == UInt8(ascii: "]"), host.count > 2 else {
        throw .invalidConfiguration("\(quoted(url)) has a bracket that is not closed")
      }
      return String(decoding: host.dropFirst().dropLast(), as: UTF8.self).lowercased()
    }
    let isName = host.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isName, !host.isEmpty, host.count <= 253 else {
      throw .invalidConfiguration("\(quoted(url)) has no valid host name")
    }
    return String(decoding: host, as: UTF8.self).lowercased()
  }

  /// Returns a URL for an error message: shortened, and without a possible password.
  private static func quoted(_ url: String) -> String {
    let shown = url.split(separator: "@", maxSplits: 1).count > 1 ? "the URL with a password" : url
    return DisplayText.quoted(shown)
  }
}
