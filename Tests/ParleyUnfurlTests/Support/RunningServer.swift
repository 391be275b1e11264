import Logging
import Reactor
import Testing
import Unfurler

@testable import parley_unfurl

/// A server in this process, on a port of its own.
final class RunningServer {
  let server: UnfurlServer
  let unfurler: ScriptedUnfurler
  let port: UInt16

  init(
    _ unfurler: ScriptedUnfurler = ScriptedUnfurler(),
    _ change: (inout UnfurlServerConfiguration) -> Void = { _ in }
  ) throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    var configuration = UnfurlServerConfiguration(listen: [address])
    change(&configuration)
    self.unfurler = unfurler
    server = try UnfurlServer(
      configuration: configuration, unfurler: unfurler, logger: Logger(label: "test"))
    port = try #require(server.addresses.first).port
  }

  deinit {
    server.hurry()
    server.waitUntilStopped()
  }

  func connect() throws -> HTTPPeer { try HTTPPeer(port: port) }
}
