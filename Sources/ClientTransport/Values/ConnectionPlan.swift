internal import HTTP

/// A checked configuration: everything that one attempt to connect needs.
package struct ConnectionPlan: Sendable {
  let server: ServerURL
  let proxy: ProxyURL?
  let fields: HTTPFields
  let compression: CompressionOffer
  let tls: TLSSettings
  /// Milliseconds.
  let attemptTimeout: Int64
  let maximumMessageBytes: Int
  /// The maximum number of queued bytes; beyond it the connection is closed as stalled.
  let maximumQueuedBytes: Int

  /// The header fields that the opening handshake itself sets, in lower case.
  private static let reserved: Set<String> = [
    "host", "upgrade", "connection", "content-length", "transfer-encoding",
  ]

  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)`` with the name of the setting.
  package init(_ settings: ConnectionSettings) throws(ConnectionPlanError) {
    server = try ServerURL(settings.serverURL)
    if let url = settings.proxyURL { proxy = try ProxyURL(url) } else { proxy = nil }
    fields = try Self.fields(settings.headers)
    compression = settings.compression
    tls = settings.tls
    attemptTimeout = settings.attemptTimeout.timeout
    maximumMessageBytes = settings.maximumMessageBytes
    maximumQueuedBytes = settings.maximumQueuedBytes
  }

  /// Creates a plan for another address with the settings of this plan.
  ///
  /// The added fields and the name in the certificate belong to the server: another host gets neither.
  private init(_ plan: ConnectionPlan, to address: ServerURL) {
    server = address
    proxy = plan.proxy
    let isSameServer = address.host == plan.server.host && address.port == plan.server.port
    fields = isSameServer ? plan.fields : HTTPFields()
    compression = plan.compression
    var tls = plan.tls
    if address.host != plan.server.host { tls.serverName = nil }
    self.tls = tls
    attemptTimeout = plan.attemptTimeout
    maximumMessageBytes = plan.maximumMessageBytes
    maximumQueuedBytes = plan.maximumQueuedBytes
  }

  /// Creates a plan for an HTTP request with the settings of this plan.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)``.
  package func toRequest(_ url: String) throws(ConnectionPlanError) -> ConnectionPlan {
    ConnectionPlan(self, to: try ServerURL(ofRequest: url))
  }

  private static func fields(
    _ headers: [(name: String, value: String)]
  ) throws(ConnectionPlanError) -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in headers {
      let lowercased = name.lowercased()
      guard !reserved.contains(lowercased), !lowercased.hasPrefix("sec-websocket-") else {
        throw .invalidConfiguration("the header \(name) is the opening handshake's own")
      }
      guard HTTPSyntax.isToken(name.utf8), value.utf8.allSatisfy(HTTPSyntax.isFieldByte) else {
        throw .invalidConfiguration("the header \"\(name.prefix(40))\" can't be sent as it is")
      }
      fields.append(name, value)
    }
    return fields
  }
}

extension Duration {
  /// The duration as a deadline in milliseconds: 1 to a year.
  package var timeout: Int64 { min(max(1, milliseconds), 31_536_000_000) }

  /// The duration in whole milliseconds, clamped to the range.
  package var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isOverflow) = seconds.multipliedReportingOverflow(by: 1000)
    guard !isOverflow, abs(product) < .max - 1000 else { return seconds < 0 ? .min : .max }
    return product + attoseconds / 1_000_000_000_000_000
  }
}

extension ConnectionPlan {
  /// The host of the server's URL.
  package var serverHost: String { server.host }
}

/// The settings of a connection, unchecked.
package struct ConnectionSettings: Sendable {
  /// `ws://host:port/path` or `wss://…`; the path is `/v1/ws` unless given.
  package var serverURL: String
  /// `http://[user:password@]host:port` of the proxy to connect through.
  package var proxyURL: String?
  /// Fields added to the opening handshake, in order; their names and values are checked.
  package var headers: [(name: String, value: String)] = []
  package var compression = CompressionOffer.offered
  package var tls = TLSSettings()
  /// The time limit of an attempt, from name resolution to the end of the opening handshake.
  package var attemptTimeout: Duration = .seconds(15)
  /// The largest message accepted from the server, in bytes; beyond it: closed with 1009.
  package var maximumMessageBytes = 1_048_576
  /// The maximum number of queued bytes; beyond it the connection is closed as stalled.
  package var maximumQueuedBytes = 4_456_448

  package init(serverURL: String) {
    self.serverURL = serverURL
  }
}

/// Whether a client offers to compress messages.
package enum CompressionOffer: Sendable, Hashable {
  case offered
  case notOffered
}

/// The options for the verification of a server.
package struct TLSSettings: Sendable, Hashable {
  /// Whether the server's certificate is verified.
  package enum Verification: Sendable, Hashable {
    /// The certificate must be valid, trusted and issued for the server's name.
    case full
    /// No verification: for experiments only.
    case none
  }

  package var verification = Verification.full
  /// PEM files of certificate authorities trusted in addition to the system's.
  package var authorityPaths: [String] = []
  /// PEM texts of certificate authorities trusted in addition to the system's.
  package var authorityTexts: [String] = []
  /// The name in the server's certificate, if it is not the URL's host.
  package var serverName: String?

  package init() {}
}

/// An error in the settings of a connection, found before any attempt.
package enum ConnectionPlanError: Error, Sendable, Hashable {
  /// A setting is invalid; the text names it.
  case invalidConfiguration(String)
}
