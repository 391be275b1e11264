package import ClientTransport
internal import Reactor

/// Which gateway is loaded, and from where.
package struct LoadTarget: Sendable {
  /// Makes names that no other run has had.
  package let run: UInt32
  let plan: ConnectionPlan
  /// An access token for each connection, in the plan's order; empty where the gateway asks none.
  let accessTokens: [String]
  private let sources: [SocketAddress]
  private let connectionsPerSource: Int

  /// The problem of an address to connect from.
  package struct SourceFault: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - run: A random number.
  ///   - sources: Numeric addresses of this machine to connect from, one after the other; with
  ///     none the kernel picks, and for a gateway at 127.x it is 127.0.0.1 and those behind it.
  ///   - connectionsPerSource: How many connections an address is used for, before the next is.
  package init(
    run: UInt32, settings: ConnectionSettings, accessTokens: [String] = [], sources: [String] = [],
    connectionsPerSource: Int = 20_000
  ) throws {
    self.run = run
    plan = try ConnectionPlan(settings)
    self.accessTokens = accessTokens
    self.connectionsPerSource = max(1, connectionsPerSource)
    let names = sources.isEmpty ? Self.loopbackSources(for: plan) : sources
    self.sources = try names.map { name in
      guard let address = SocketAddress(host: name, port: 0) else {
        throw SourceFault(
          description:
            "'\(name)' is not a numeric address; an address such as 127.0.0.2 is expected")
      }
      return address
    }
  }

  /// The id of the user of a connection.
  package static func userID(run: UInt32, place: Int) -> String {
    "load-\(String(run, radix: 16))-\(place)"
  }

  func localEnd(of place: Int, isSlow: Bool) -> LocalEnd {
    // A packet for each read would cost more than the read, and over the loopback interface even
    // the server's part of that is done on the reader's time.
    var local = LocalEnd(acknowledgement: .delayed)
    if !sources.isEmpty { local.address = sources[place / connectionsPerSource % sources.count] }
    // What the kernel takes in for a slow reader, the server does not see waiting.
    if isSlow { local.receiveBufferBytes = 4096 }
    return local
  }

  /// One address has some 28,000 ports for connections to one server; any of 127.0.0.0/8 is this
  /// machine.
  private static func loopbackSources(for plan: ConnectionPlan) -> [String] {
    plan.serverHost.hasPrefix("127.") ? (1...250).map { "127.0.0.\($0)" } : []
  }
}
