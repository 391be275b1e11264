internal import ClientTransport

extension ParleyClientConfiguration {
  /// The same in the engine's terms.
  var engineConfiguration: EngineConfiguration {
    var engine = EngineConfiguration(serverURL: serverURL)
    engine.requestTimeout = requestTimeout
    engine.connectTimeout = connectTimeout
    engine.maximumPendingCalls = maximumPendingCalls
    engine.maximumMessageBytes = maximumMessageBytes
    engine.tls = tls.settings
    engine.proxyURL = proxyURL
    engine.compression = compression == .offered ? .offered : .notOffered
    engine.headers = [("User-Agent", userAgent)] + headers.map { ($0.name, $0.value) }
    return engine
  }
}
