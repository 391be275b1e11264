internal import ArgumentParser
internal import Basics
internal import LinkPreview
internal import Reactor

/// The network route to a gateway, for both HTTP and WebSocket.
struct NetworkRoute: Equatable {
  /// The maximum number of bytes searched for a certificate.
  private static let authorityFileLimit = 16_777_216

  /// A PEM file of certificate authorities trusted in addition to the system's.
  var authorityFile: String?
  /// The URL of an HTTP proxy.
  var proxyURL: String?

  /// Finds the route to an address.
  ///
  /// - Throws: `ValidationError` for a file without certificates or an unsupported proxy.
  init(
    to address: ServerAddress, authorityFile: String?,
    environment: [String: String] = ProcessEnvironment.variables
  ) throws {
    do {
      proxyURL = try EnvironmentProxy.url(for: address, environment: environment)
    } catch {
      throw ValidationError(error.description)
    }
    self.authorityFile = authorityFile
    if let authorityFile { try Self.check(authorityFile) }
  }

  /// Checks the file before connecting, so that errors name it.
  private static func check(_ path: String) throws {
    guard let bytes = try? FileContents.read(path, atMost: authorityFileLimit) else {
      throw ValidationError("the certificate file \(path) cannot be read")
    }
    guard bytes.firstRange(of: Array("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw ValidationError("\(path) contains no certificate; a PEM file is expected")
    }
  }
}

/// The address of a gateway, for both HTTP and WebSocket.
struct ServerAddress: Equatable {
  /// The encryption of connections.
  enum Security {
    case plain
    case tls
  }

  private static let schemes = ["http": "ws", "https": "wss", "ws": "ws", "wss": "wss"]

  /// The base URL for HTTP, without a trailing slash.
  let httpBase: String
  /// The URL for sessions.
  let webSocketURL: String
  /// The host in lower case, with an IPv6 address without its brackets.
  let host: String
  let port: Int
  let security: Security

  private static let thisMachine = [
    "127.0.0.0/8", "::1/128", "::ffff:127.0.0.0/104", "0.0.0.0/32", "::/128",
  ].compactMap { try? Network(parsing: $0) }

  /// Whether the host names this machine, whatever its name in the network is.
  var isOnThisMachine: Bool {
    if let address = IPAddress(host) { return Self.thisMachine.contains { $0.contains(address) } }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return name == "localhost" || name.hasSuffix(".localhost")
  }

  /// Parses `http`, `https`, `ws` and `wss` URLs; `nil` for other texts.
  init?(_ text: String) {
    guard let url = URLParts(text), url.userInfo == nil, url.query == nil, url.fragment == nil,
      let webSocketScheme = Self.schemes[url.scheme]
    else { return nil }
    security = webSocketScheme == "wss" ? .tls : .plain
    let path = String(url.path.reversed().drop { $0 == "/" }.reversed())
    let place = url.host + (url.port.map { ":\($0)" } ?? "") + path
    httpBase = (security == .tls ? "https://" : "http://") + place
    webSocketURL = "\(webSocketScheme)://\(place)/v1/ws"
    host = url.bareHost
    port = url.port.map { Int($0) } ?? (security == .tls ? 443 : 80)
  }
}

/// Finds the proxy for a gateway in the environment.
///
/// `http_proxy` applies to http and ws, `https_proxy` or `HTTPS_PROXY` to https and wss, otherwise
/// `all_proxy` or `ALL_PROXY`; `no_proxy` or `NO_PROXY` lists exceptions. `HTTP_PROXY` is ignored:
/// in a program run by a web server its value would come from a request.
enum EnvironmentProxy {
  /// Returns the URL of the proxy; `nil` for a direct connection, always used for this machine.
  ///
  /// - Throws: ``ProxyError`` for a proxy of another kind than HTTP.
  static func url(
    for address: ServerAddress, environment: [String: String]
  ) throws(ProxyError) -> String? {
    guard !address.isOnThisMachine else { return nil }
    let exceptions = first(of: ["no_proxy", "NO_PROXY"], environment)?.value ?? ""
    guard !HostPatterns(exceptions).contains(address.host, port: address.port) else { return nil }
    let names = address.security == .plain ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
    guard let (name, value) = first(of: names + ["all_proxy", "ALL_PROXY"], environment) else {
      return nil
    }
    guard let scheme = value.firstRange(of: "://") else { return "http://" + value }
    guard value[..<scheme.lowerBound].lowercased() == "http" else {
      throw ProxyError(variable: name, scheme: String(value[..<scheme.lowerBound]))
    }
    return value.hasSuffix("/") ? String(value.dropLast()) : value
  }

  private static func first(
    of names: [String], _ environment: [String: String]
  ) -> (name: String, value: String)? {
    names.lazy.compactMap { name in
      environment[name].flatMap { $0.isEmpty ? nil : (name, $0) }
    }.first
  }
}

/// An unsupported proxy; its URL is not shown because it may contain a password.
struct ProxyError: Error, Equatable, CustomStringConvertible {
  let variable: String
  let scheme: String

  var description: String {
    "\(variable) names a proxy of type \(DisplayText.shortened(scheme, limit: 20)), which is not "
      + "supported; use an http:// URL, or add the gateway's host to no_proxy"
  }
}

/// Hosts to reach without a proxy, in the syntax of `no_proxy`: domains with their subdomains,
/// addresses, networks such as `10.0.0.0/8`, each with an optional port, or `*`, separated by commas
/// or spaces.
struct HostPatterns {
  private let patterns: [Substring]

  init(_ text: String) {
    patterns = text.lowercased().split { $0 == "," || $0.isWhitespace }
  }

  /// Whether a pattern matches a host.
  ///
  /// - Parameter host: In lower case, with an IPv6 address without brackets.
  func contains(_ host: String, port: Int) -> Bool {
    patterns.contains { Self.matches($0, host, port) }
  }

  private static func matches(_ pattern: Substring, _ host: String, _ port: Int) -> Bool {
    if pattern == "*" { return true }
    if let network = try? Network(parsing: String(pattern)) {
      return IPAddress(host).map(network.contains) ?? false
    }
    let (name, wantedPort) = split(pattern)
    guard wantedPort == nil || wantedPort == port else { return false }
    if let address = IPAddress(String(name)) { return IPAddress(host) == address }
    let domain = name.drop { $0 == "*" || $0 == "." }
    guard !domain.isEmpty, IPAddress(host) == nil else { return false }
    let bare = host.hasSuffix(".") ? String(host.dropLast()) : host
    return bare == domain || bare.hasSuffix(".\(domain)")
  }

  /// Splits a pattern into host, without brackets, and port.
  private static func split(_ pattern: Substring) -> (Substring, Int?) {
    if pattern.hasPrefix("["), let end = pattern.firstIndex(of: "]") {
      let rest = pattern[end...].dropFirst()
      return (pattern[..<end].dropFirst(), rest.hasPrefix(":") ? Int(rest.dropFirst()) : nil)
    }
    guard let colon = pattern.lastIndex(of: ":"), pattern.firstIndex(of: ":") == colon,
      let port = Int(pattern[colon...].dropFirst())
    else { return (pattern, nil) }
    return (pattern[..<colon], port)
  }
}
