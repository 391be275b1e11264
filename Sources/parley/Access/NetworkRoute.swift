internal import ArgumentParser
internal import Bytes
internal import Foundation
internal import LinkPreview

/// How a gateway is connected to, over HTTP and WebSocket alike.
struct NetworkRoute: Equatable {
  /// A PEM file of authorities that are trusted beside the system's.
  var authorityFile: String?
  /// The URL of an HTTP proxy.
  var proxyURL: String?

  /// The way to an address.
  ///
  /// - Throws: `ValidationError` for a file without certificates and a proxy of another kind.
  init(
    to address: ServerAddress, authorityFile: String?,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws {
    do {
      proxyURL = try EnvironmentProxy.url(for: address, environment: environment)
    } catch {
      throw ValidationError(error.description)
    }
    self.authorityFile = authorityFile
    if let authorityFile { try Self.check(authorityFile) }
  }

  /// What is wrong with the file is told by its name, before anything is connected to.
  private static func check(_ path: String) throws {
    guard let text = try? Data(contentsOf: URL(fileURLWithPath: path)) else {
      throw ValidationError("the certificates in \(path) cannot be read")
    }
    guard text.range(of: Data("-----BEGIN CERTIFICATE-----".utf8)) != nil else {
      throw ValidationError("\(path) has no certificate in PEM form")
    }
  }
}

/// Where a gateway is: one address for its HTTP side and its WebSocket side.
struct ServerAddress: Equatable {
  /// Whether what is sent can be read on the way.
  enum Security {
    case plain
    case tls
  }

  private static let schemes = ["http": "ws", "https": "wss", "ws": "ws", "wss": "wss"]

  /// The base of the HTTP side, without a slash at its end.
  let httpBase: String
  /// The address for sessions, with its path.
  let webSocketURL: String
  /// The host in lower case, an IPv6 address without its brackets.
  let host: String
  let port: Int
  let security: Security

  /// Takes `http`, `https`, `ws` and `wss` addresses; `nil` for anything else.
  init?(_ text: String) {
    guard var url = URLComponents(string: text), let host = url.host, !host.isEmpty,
      url.user == nil, url.query == nil, url.fragment == nil,
      let scheme = url.scheme?.lowercased(), let webSocketScheme = Self.schemes[scheme]
    else { return nil }
    while url.path.hasSuffix("/") { url.path.removeLast() }
    security = webSocketScheme == "wss" ? .tls : .plain
    url.scheme = security == .tls ? "https" : "http"
    guard let base = url.string else { return nil }
    url.scheme = webSocketScheme
    url.path += "/v1/ws"
    guard let session = url.string else { return nil }
    httpBase = base
    webSocketURL = session
    self.host = host.lowercased().trimmingCharacters(in: ["[", "]"])
    port = url.port ?? (security == .tls ? 443 : 80)
  }
}

/// The proxy that the environment names for a gateway.
///
/// `http_proxy` counts for http and ws, `https_proxy` or `HTTPS_PROXY` for https and wss, without
/// them `all_proxy` or `ALL_PROXY`; `no_proxy` or `NO_PROXY` names exceptions. `HTTP_PROXY` does not
/// count: to a program run by a web server it would be a field of somebody's request.
enum EnvironmentProxy {
  private static let ownMachine = [
    "127.0.0.0/8", "::1/128", "::ffff:127.0.0.0/104", "0.0.0.0/32", "::/128",
  ].compactMap { try? Network(parsing: $0) }

  /// The proxy's URL; `nil` when the way is direct, as it is to this very machine in any case.
  ///
  /// - Throws: ``ProxyError`` for a proxy of another kind than HTTP.
  static func url(
    for address: ServerAddress, environment: [String: String]
  ) throws(ProxyError) -> String? {
    guard !isOwnMachine(address.host) else { return nil }
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

  private static func isOwnMachine(_ host: String) -> Bool {
    if let address = IPAddress(host) { return ownMachine.contains { $0.contains(address) } }
    let name = host.hasSuffix(".") ? String(host.dropLast()) : host
    return name == "localhost" || name.hasSuffix(".localhost")
  }
}

/// A proxy that can't be gone through; its URL may have a password and is not told.
struct ProxyError: Error, Equatable, CustomStringConvertible {
  let variable: String
  let scheme: String

  var description: String {
    "\(variable) names a proxy of the kind \(PlainLine.clean(scheme, limit: 20)); an http:// URL is "
      + "expected, or the gateway's host in no_proxy"
  }
}

/// Hosts to reach without a proxy, as `no_proxy` has them: names with all below them, addresses,
/// networks such as `10.0.0.0/8`, each with a port if wanted, or `*`; between commas or spaces.
struct HostPatterns {
  private let patterns: [Substring]

  init(_ text: String) {
    patterns = text.lowercased().split { $0 == "," || $0.isWhitespace }
  }

  /// Whether a host is among them.
  ///
  /// - Parameter host: In lower case, an IPv6 address without brackets.
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

  /// The pattern's host without brackets, and its port.
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
