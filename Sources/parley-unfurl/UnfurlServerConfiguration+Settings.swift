internal import Configuration
internal import Reactor
internal import Unfurler
internal import UnfurlService

extension UnfurlServerConfiguration {
  /// What the settings say of serving.
  init(_ settings: Settings, _ fetching: UnfurlerConfiguration) throws(SystemError) {
    var addresses: [SocketAddress] = []
    for text in settings.listen { addresses.append(try text.resolved()) }
    self.init(listen: addresses)
    headTimeout = settings.limits.headTimeoutMilliseconds
    timeout = settings.unfurl.timeoutMilliseconds
    maximumPending = fetching.maximumWaiting
    drainTimeout = settings.drain.timeoutMilliseconds
  }
}

extension SocketAddressText {
  /// The address for the kernel; `localhost` is the only name that is understood.
  fileprivate func resolved() throws(SystemError) -> SocketAddress {
    let numeric = host == "localhost" ? "127.0.0.1" : host
    guard let address = SocketAddress(host: numeric, port: port) else {
      throw SystemError(call: "listen", code: 22, object: "\(self): not a numeric address")
    }
    return address
  }
}
