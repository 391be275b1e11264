package import Basics

/// The validated URL of a Redis or Valkey server in a setting.
///
///     redis://user:password@redis1.internal:6379
///     rediss://:password@redis1.internal?sslrootcert=/etc/parley/ca.pem
package struct RedisURL: Sendable, Equatable, CustomStringConvertible {
  /// The default port.
  private static let standardPort = 6379
  /// The only parameter: a PEM file with the authorities that may issue the server's certificate.
  private static let authorityParameter = "sslrootcert="

  package let endpoint: Endpoint
  package let usesTLS: Bool
  /// The URL as given, including user and password.
  package let text: Secret

  /// Parses a URL with the scheme `redis` or `rediss` and a host, optionally followed by a database
  /// number, which has no effect on messages.
  package init?(_ text: String) {
    guard text.utf8.count <= 2048, let scheme = text.firstRange(of: "://") else { return nil }
    switch text[..<scheme.lowerBound] {
    case "redis": usesTLS = false
    case "rediss": usesTLS = true
    default: return nil
    }
    self.text = Secret(text)
    let rest = text[scheme.upperBound...]
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    let mark = rest[..<end].lastIndex(of: "@")
    if let mark, !Self.areCredentials(rest[..<mark]) { return nil }
    let host = rest[(mark.map(rest.index(after:)) ?? rest.startIndex)..<end]
    guard Self.isTail(rest[end...], usesTLS: usesTLS),
      let endpoint = Endpoint(String(host)) ?? Endpoint("\(host):\(Self.standardPort)"),
      endpoint.port != 0
    else { return nil }
    self.endpoint = endpoint
  }

  /// Whether only processes of this machine can reach the server.
  package var isLoopback: Bool { endpoint.isLoopback }

  /// The URL without user and password.
  package var description: String { "\(usesTLS ? "rediss" : "redis")://\(endpoint)" }

  /// Whether a text is `user:password` or `:password`, percent-encoded.
  private static func areCredentials(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[1].isEmpty
      && parts.allSatisfy { PercentEncoding.decode($0.utf8) != nil }
  }

  /// Whether a text is allowed after the host.
  private static func isTail(_ text: Substring, usesTLS: Bool) -> Bool {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first?.drop(while: { $0 == "/" }),
      path.utf8.allSatisfy({ $0 &- 0x30 < 10 })
    else { return false }
    guard parts.count == 2 else { return true }
    guard usesTLS, parts[1].hasPrefix(authorityParameter),
      let file = PercentEncoding.text(parts[1].dropFirst(authorityParameter.count).utf8)
    else { return false }
    return !file.isEmpty && !file.contains("&")
  }
}
