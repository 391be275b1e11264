internal import ClientTransport

/// The server address and limits of an engine.
struct EngineConfiguration: Sendable {
  /// `ws://host:port/path` or `wss://…`; the path is `/v1/ws` unless given.
  var serverURL: String
  /// Until when a call must be answered, sending it again after a reconnection included.
  var requestTimeout: Duration = .seconds(10)
  /// The time limit of the first connection.
  var connectTimeout: Duration = .seconds(30)
  /// The time limit of an attempt, from the name look-up to the end of the opening handshake.
  var attemptTimeout: Duration = .seconds(15)
  /// Calls that wait for their answers; beyond: ``ParleyError/tooManyPending(limit:)``.
  var maximumPendingCalls = 1000
  /// Bytes of calls that wait for their answers; beyond: ``ParleyError/tooManyPending(limit:)``.
  var maximumPendingBytes = 4_194_304
  /// The largest message taken from the server; beyond: the connection is closed with 1009.
  var maximumMessageBytes = 1_048_576
  var tls = TLSSettings()
  /// `http://[user:password@]host:port`, through which to connect.
  var proxyURL: String?
  /// Whether `permessage-deflate` is offered.
  var compression = CompressionOffer.offered
  /// Fields added to the opening handshake, in order; their names and values are checked.
  var headers: [(name: String, value: String)] = []
  var reconnection = Reconnection.Settings()

  init(serverURL: String) {
    self.serverURL = serverURL
  }
}

extension EngineConfiguration {
  /// The largest message taken, 1 KiB to 1 GiB.
  var messageLimit: Int { min(max(1024, maximumMessageBytes), 1_073_741_824) }
}

extension ConnectionPlan {
  /// - Throws: ``ParleyError/invalidConfiguration(_:)`` that names the setting.
  init(_ configuration: EngineConfiguration) throws(ParleyError) {
    var settings = ConnectionSettings(serverURL: configuration.serverURL)
    settings.proxyURL = configuration.proxyURL
    settings.headers = configuration.headers
    settings.compression = configuration.compression
    settings.tls = configuration.tls
    settings.attemptTimeout = configuration.attemptTimeout
    settings.maximumMessageBytes = configuration.messageLimit
    // Requests of the engine itself and control frames come on top of the calls.
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
