internal import ClientTransport

/// The server address and limits of an engine.
struct EngineConfiguration: Sendable {
  /// `ws://host:port/path` or `wss://…`; the path is `/v1/ws` unless given.
  var serverURL: String
  /// The time limit of a call, including resends after a reconnection.
  var requestTimeout: Duration = .seconds(10)
  /// The time limit of the first connection.
  var connectTimeout: Duration = .seconds(30)
  /// The time limit of an attempt, from name resolution to the end of the opening handshake.
  var attemptTimeout: Duration = .seconds(15)
  /// The maximum number of unanswered calls; beyond it: ``ParleyError/tooManyPending(limit:)``.
  var maximumPendingCalls = 1000
  /// The maximum bytes of unanswered calls; beyond it: ``ParleyError/tooManyPending(limit:)``.
  var maximumPendingBytes = 4_194_304
  /// The largest message accepted from the server; a larger one closes the connection with 1009.
  var maximumMessageBytes = 1_048_576
  var tls = TLSSettings()
  /// `http://[user:password@]host:port` of the proxy to connect through.
  var proxyURL: String?
  var transport = TransportOption.webSocket
  /// Whether `permessage-deflate` is offered.
  var compression = CompressionOffer.offered
  /// Fields added to the opening handshake, in order; their names and values are checked.
  var headers: [(name: String, value: String)] = []
  var reconnection = Reconnection.Settings()
  /// Whether sessions receive the events of the user's groups.
  var receivesGroups = true
}

extension EngineConfiguration {
  /// The largest message accepted, 1 KiB to 1 GiB.
  var messageLimit: Int { min(max(1024, maximumMessageBytes), 1_073_741_824) }
}

extension ConnectionPlan {
  /// - Throws: ``ParleyError/invalidConfiguration(_:)`` with the name of the setting.
  init(_ configuration: EngineConfiguration) throws(ParleyError) {
    var settings = ConnectionSettings(serverURL: configuration.serverURL)
    settings.proxyURL = configuration.proxyURL
    settings.headers = configuration.headers
    settings.compression = configuration.compression
    settings.tls = configuration.tls
    settings.attemptTimeout = configuration.attemptTimeout
    settings.maximumMessageBytes = configuration.messageLimit
    // The engine's own requests and control frames are added to the calls.
    let (limit, isOverflow) = max(0, configuration.maximumPendingBytes)
      .addingReportingOverflow(262_144)
    settings.maximumQueuedBytes = isOverflow ? .max : limit
    do throws(ConnectionPlanError) {
      self = try ConnectionPlan(settings)
    } catch {
      switch error {
      case .invalidConfiguration(let text): throw .invalidConfiguration(text)
      }
    }
  }
}
