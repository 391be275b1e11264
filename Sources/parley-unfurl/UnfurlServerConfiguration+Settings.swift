internal import Configuration
internal import Reactor
internal import Unfurler

extension UnfurlServerConfiguration {
  /// Reads the settings that concern serving.
  init(_ settings: Settings, _ fetching: UnfurlerConfiguration) {
    self.init(listen: settings.listen.map { SocketAddress($0.address, port: $0.port) })
    headTimeout = settings.limits.headTimeoutMilliseconds
    timeout = settings.unfurl.timeoutMilliseconds
    maximumPending = fetching.maximumWaiting
    drainTimeout = settings.drain.timeoutMilliseconds
  }
}
