package import Basics

/// A Redis or Valkey server in a setting.
///
///     redis://user:password@redis1.internal:6379
///     rediss://:password@redis1.internal?sslrootcert=/etc/parley/ca.pem
package struct RedisAddress: Sendable, Equatable, CustomStringConvertible {
  /// The port of a URL without one.
  private static let standardPort = 6379
  /// The one parameter: a PEM file with the authorities that may have issued the certificate.
  private static let authorityParameter = "sslrootcert="

  package let endpoint: Endpoint
  package let usesTLS: Bool
  /// The user of the access control list; the default user when absent.
  package let user: String?
  package let password: Secret?
  /// The path of a PEM file; the system's authorities when absent.
  package let authorityFile: String?
  /// The URL as it was given.
  package let url: Secret

  /// Reads a URL with the scheme `redis` or `rediss`, a host, and no path.
  package init?(_ text: String) {
    guard text.utf8.count <= 2048, let scheme = text.firstRange(of: "://") else { return nil }
    switch text[..<scheme.lowerBound] {
    case "redis": usesTLS = false
    case "rediss": usesTLS = true
    default: return nil
    }
    url = Secret(text)
    var rest = text[scheme.upperBound...]
    if let question = rest.firstIndex(of: "?") {
      let query = rest[rest.index(after: question)...]
      guard usesTLS, query.hasPrefix(Self.authorityParameter),
        let path = PercentEncoding.text(query.dropFirst(Self.authorityParameter.count).utf8),
        !path.isEmpty, !path.contains("&")
      else { return nil }
      authorityFile = path
      rest = rest[..<question]
    } else {
      authorityFile = nil
    }
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    if let end = rest.lastIndex(of: "@") {
      guard let (user, password) = Self.credentials(rest[..<end]) else { return nil }
      self.user = user
      self.password = password
      rest = rest[rest.index(after: end)...]
    } else {
      user = nil
      password = nil
    }
    guard let endpoint = Endpoint(String(rest)) ?? Endpoint("\(rest):\(Self.standardPort)"),
      endpoint.port != 0
    else { return nil }
    self.endpoint = endpoint
  }

  /// Whether only processes of this machine can reach it.
  package var isLoopback: Bool { endpoint.isLoopback }

  /// Whether another address is the same server.
  func isSamePlace(as other: RedisAddress) -> Bool { endpoint == other.endpoint }

  /// The URL without user and password.
  package var description: String { "\(usesTLS ? "rediss" : "redis")://\(endpoint)" }

  /// Reads `user:password`, `:password` or a password alone.
  private static func credentials(_ text: Substring) -> (String?, Secret)? {
    let colon = text.firstIndex(of: ":")
    let password = colon.map { text[text.index(after: $0)...] } ?? text
    guard let secret = PercentEncoding.text(password.utf8), !secret.isEmpty else { return nil }
    guard let colon, colon > text.startIndex else { return (nil, Secret(secret)) }
    guard let user = PercentEncoding.text(text[..<colon].utf8) else { return nil }
    return (user, Secret(secret))
  }
}
