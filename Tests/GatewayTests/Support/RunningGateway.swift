import Configuration
import Logging
import Testing
import TestPeers

@testable import Gateway

/// A gateway with threads in the test's process, which ends with the value.
final class RunningGateway {
  let gateway: Gateway
  let directory: TemporaryDirectory

  init(reactors: Int = 2, _ adjust: (inout Settings) -> Void = { _ in }) throws {
    directory = try TemporaryDirectory()
    var settings = Settings()
    settings.dataDirectory = directory.path
    settings.unfurl.mode = .off
    settings.reactors = reactors
    settings.listen = [ListenAddress.loopback(port: 0)]
    adjust(&settings)
    gateway = try Gateway(
      GatewayPlan(settings), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  deinit {
    gateway.drain()
    gateway.hurry()
    gateway.waitUntilStopped()
  }

  var port: UInt16 {
    get throws {
      let address = try #require(gateway.addresses.first?.address)
      return try #require(UInt16(address.split(separator: ":")[1]))
    }
  }

  func connect() throws -> GatewayClient { try GatewayClient(port: port) }
}
