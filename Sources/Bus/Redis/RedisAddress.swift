package import Basics
internal import Streams

/// The address of a Redis or Valkey server with its credentials.
///
///     redis://host:6379     rediss://user:password@host/?sslrootcert=/etc/ssl/private-ca.pem
///
/// The user name is optional (`redis://:password@host`). Characters with a meaning in URLs are
/// percent-encoded.
package struct RedisAddress: Sendable, Hashable {
  /// An address that cannot be used; the message names the problem, and never contains a password.
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package let description: String
  }

  struct Credentials: Hashable {
    /// Empty for the default user.
    let user: [UInt8]
    let password: [UInt8]
  }

  enum Security: Hashable {
    case plain
    /// TLS with verification; the file holds authorities that are trusted in addition to the system's.
    case tls(authorityPath: String?)
  }

  package let endpoint: Endpoint
  let security: Security
  let credentials: Credentials?

  private static let defaultPort: UInt16 = 6379

  /// Parses an address.
  package init(_ url: String) throws(Failure) {
    let schemes: [(String, Security)] = [
      ("redis://", .plain), ("rediss://", .tls(authorityPath: nil)),
    ]
    guard let (scheme, security) = schemes.first(where: { url.hasPrefix($0.0) }) else {
      throw Failure(description: "the address begins with neither redis:// nor rediss://")
    }
    let rest = url.dropFirst(scheme.count)
    let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
    // A password may contain an @ that was not encoded.
    let at = rest[..<end].lastIndex(of: "@")
    credentials = try at.map { mark throws(Failure) in try Self.credentials(rest[..<mark]) }
    let host = at.map { rest[rest.index(after: $0)..<end] } ?? rest[..<end]
    endpoint = try Self.endpoint(host)
    self.security = try Self.security(security, rest[end...])
  }

  /// The address for display: without credentials.
  package var description: String {
    switch security {
    case .plain: "redis://\(endpoint)"
    case .tls: "rediss://\(endpoint)"
    }
  }

  private static func credentials(_ text: Substring) throws(Failure) -> Credentials {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let user = PercentEncoding.decode(parts[0].utf8),
      let password = PercentEncoding.decode(parts[1].utf8), !password.isEmpty
    else {
      throw Failure(description: "user:password@ is expected before the host, percent-encoded")
    }
    return Credentials(user: user, password: password)
  }

  private static func endpoint(_ text: Substring) throws(Failure) -> Endpoint {
    let parts = HostAndPort(splitting: Array(text.utf8)[...])
    let whole = parts?.port == nil ? "\(text):\(defaultPort)" : String(text)
    guard let endpoint = Endpoint(whole), endpoint.port > 0 else {
      throw Failure(description: "\(DisplayText.quoted(String(text))) is no host with a port")
    }
    return endpoint
  }

  /// Parses the path and the parameters; the number of a database makes no difference to messages.
  private static func security(
    _ security: Security, _ rest: Substring
  ) throws(Failure) -> Security {
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard let path = parts.first?.drop(while: { $0 == "/" }), path.utf8.allSatisfy(isDigit) else {
      throw Failure(description: "only the number of a database can follow the host")
    }
    guard parts.count == 2, !parts[1].isEmpty else { return security }
    let parameter = parts[1].split(separator: "=", maxSplits: 1)
    guard security != .plain, parameter.count == 2, parameter[0] == "sslrootcert",
      let file = PercentEncoding.text(parameter[1].utf8), !file.isEmpty
    else {
      throw Failure(
        description: "the only parameter is sslrootcert=FILE, for addresses with rediss://")
    }
    return .tls(authorityPath: file)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
}

extension RedisAddress {
  /// Makes the context for connections to this address; `nil` without TLS.
  func tlsContext() throws(TLSError) -> TLSClientContext? {
    switch security {
    case .plain: nil
    case .tls(let path):
      try TLSClientContext(trust: TLSTrust(authorityPaths: path.map { [$0] } ?? []), alpn: [])
    }
  }

  /// The name or address that the server's certificate must contain.
  var certificateName: String {
    switch endpoint.host {
    case .name(let name): name
    case .address(let address): address.description
    }
  }
}
