internal import Bytes
internal import LinkPreview

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
    "\(variable) names a proxy of the kind \(DisplayText.shortened(scheme, limit: 20)); an http:// URL is "
      + "expected, or the gateway's host in no_proxy"
  }
}
