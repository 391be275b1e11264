internal import Configuration
internal import Reactor
internal import Setup
internal import Unfurler

extension UnfurlServerConfiguration {
  /// Reads the settings that concern serving.
  init(_ settings: Settings, _ fetching: UnfurlerConfiguration) throws(SystemError) {
    var addresses: [SocketAddress] = []
    for text in settings.listen { addresses.append(try SocketAddress(text)) }
    self.init(listen: addresses)
    headTimeout = settings.limits.headTimeoutMilliseconds
    timeout = settings.unfurl.timeoutMilliseconds
    maximumPending = fetching.maximumWaiting
    drainTimeout = settings.drain.timeoutMilliseconds
  }
}
