internal import Bytes

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
