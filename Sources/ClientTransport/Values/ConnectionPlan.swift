/// A checked configuration: everything that one attempt to connect needs.
package struct ConnectionPlan: Sendable {
  /// The WebSocket subprotocol that clients offer.
  package static let subprotocol = "parley.v1"

  package let server: ServerURL
  package let proxy: ProxyURL?
  /// Additional header fields, in order.
  package let fields: [CheckedField]
  package let compression: CompressionOffer
  package let tls: TLSSettings
  /// Milliseconds.
  package let attemptTimeout: Int64
  /// The time limit of the server's answer to the opening handshake, in milliseconds; `nil` for the rest
  /// of the attempt.
  package var handshakeTimeout: Int64?
  package let maximumMessageBytes: Int
  /// The maximum number of queued bytes; beyond it the connection is closed as stalled.
  package let maximumQueuedBytes: Int

  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)`` with the name of the setting.
  package init(_ settings: ConnectionSettings) throws(ConnectionPlanError) {
    server = try ServerURL(settings.serverURL)
    if let url = settings.proxyURL { proxy = try ProxyURL(url) } else { proxy = nil }
    fields = try CheckedField.checked(settings.headers)
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
    fields = isSameServer ? plan.fields : []
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
