internal import ClientTransport
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The part of a plan that a `URLSession` is made for: plans with the same share one.
struct WebRoute: Hashable {
  let tls: TLSSettings
  let proxy: ProxyURL?

  init(_ plan: ConnectionPlan) {
    tls = plan.tls
    proxy = plan.proxy
  }

  /// Makes the configuration of a session without cookies, caches and stored credentials.
  ///
  /// - Throws: ``ConnectionFailure`` of the kind ``ConnectionFailure/Kind/lasting`` for a setting
  ///   that the platform's Foundation does not offer.
  func configuration() throws(ConnectionFailure) -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    // The client's own timers end attempts and dead connections; a WebSocket may be silent for long.
    configuration.timeoutIntervalForRequest = URLRequest.longestInterval
    configuration.timeoutIntervalForResource = URLRequest.longestInterval
    #if canImport(Darwin)
      configuration.waitsForConnectivity = false
      if let proxy { configuration.connectionProxyDictionary = proxy.dictionary }
    #else
      guard proxy == nil else {
        throw ConnectionFailure(.lasting, "proxies of FoundationNetworking can't be set")
      }
      guard tls == TLSSettings() else {
        throw ConnectionFailure(.lasting, "TLS options of FoundationNetworking can't be set")
      }
    #endif
    return configuration
  }
}

#if canImport(Darwin)
  extension ProxyURL {
    /// The system's keys for a proxy, for requests with and without TLS.
    ///
    /// The constants for HTTPS are missing on iOS, but their values work.
    fileprivate var dictionary: [AnyHashable: Any] {
      [
        "HTTPEnable": 1, "HTTPProxy": host, "HTTPPort": Int(port),
        "HTTPSEnable": 1, "HTTPSProxy": host, "HTTPSPort": Int(port),
      ]
    }
  }
#endif

extension URLRequest {
  /// A year in seconds.
  static let longestInterval = 31_536_000.0

  /// The scheme family of a request.
  enum Scheme {
    case http
    case webSocket
  }

  /// Makes a request to the server of a plan, with its additional header fields.
  ///
  /// - Throws: ``ConnectionFailure`` if Foundation refuses the address.
  init(_ plan: ConnectionPlan, scheme: Scheme) throws(ConnectionFailure) {
    let server = plan.server
    let name =
      switch (scheme, server.security) {
      case (.http, .plain): "http"
      case (.http, .tls): "https"
      case (.webSocket, .plain): "ws"
      case (.webSocket, .tls): "wss"
      }
    guard let url = URL(string: "\(name)://\(server.authority)\(server.target)") else {
      throw ConnectionFailure(.lasting, "\(server.authority) is no address for Foundation")
    }
    self.init(url: url)
    timeoutInterval = Self.longestInterval
    for field in plan.fields { addValue(field.value, forHTTPHeaderField: field.name) }
  }
}
