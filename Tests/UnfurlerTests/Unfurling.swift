import Basics
import LinkPreview
import Testing

@testable import Unfurler

/// Looks one URL up with an unfurler of its own and waits for the report.
func report(
  on url: String, _ configuration: UnfurlerConfiguration? = nil, deadline: Duration = .seconds(60)
) async throws -> UnfurlReport {
  let unfurler = try EmbeddedUnfurler(
    configuration: try configuration ?? LocalConfiguration.open())
  defer { unfurler.shutdown() }
  return try await report(on: url, with: unfurler, deadline: deadline)
}

func report(
  on url: String, with unfurler: any Unfurler, deadline: Duration = .seconds(60)
) async throws -> UnfurlReport {
  let link = try #require(Link(url))
  return await withCheckedContinuation { continuation in
    _ = unfurler.unfurl(link, deadline: deadline) { continuation.resume(returning: $0) }
  }
}

extension LocalConfiguration {
  /// The addresses of this machine are as closed as any that are not public; `name` leads to
  /// `addresses`.
  static func closed(
    _ server: LocalServer, name: String = "page.example", addresses: String = "127.0.0.1",
    allowing networks: [String] = []
  ) throws -> UnfurlerConfiguration {
    var configuration = UnfurlerConfiguration()
    configuration.addressPolicy = AddressPolicy(allowing: try networks.map(Network.init(parsing:)))
    configuration.portPolicy = PortPolicy([1...65535])
    configuration.pinnedHosts = ["\(name):\(server.port):\(addresses)"]
    return configuration
  }
}

extension Unfurler {
  /// Looks a link up for the operator, whom no user's limits bound.
  func unfurl(
    _ link: Link, deadline: Duration, completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    unfurl(link, for: .operation, deadline: deadline, completion: completion)
  }
}
