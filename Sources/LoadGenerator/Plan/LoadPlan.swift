package import ClientTransport
package import FloodControl
internal import Reactor

/// The plan of a run: its connections, their behaviour, and the times of disturbances.
///
/// Times are nanoseconds; arrivals and disturbances count from the start of the measured time.
package struct LoadPlan: Sendable {
  /// The time at which connections are opened.
  package enum Arrival: Sendable, Hashable {
    /// All before the load starts.
    case beforehand
    /// Those from an index in the plan on are spread over a time while the load runs; the others
    /// are opened before.
    case during(from: Int, over: Int64)
  }

  /// The disturbance of the load.
  package enum Disturbance: Sendable, Hashable {
    case none
    /// After half of the measured time the abusers start to send.
    case flood
    /// After a third of the measured time all listeners are cut off and reconnect at once.
    case storm
    /// One listener after the other is cut off and reconnects.
    case churn(every: Int64)
  }

  package var scenario: String
  /// The options of the run, for the report.
  package var settings: [(name: String, value: String)] = []
  /// One for each connection and user.
  package var members: [LoadMember] = []
  package var channelCount = 1
  package var content = MessageContent.plain(bytes: 128)
  package var warmUp: Int64 = 2_000_000_000
  /// The measured time, after the warm-up.
  package var duration: Int64 = 10_000_000_000
  package var arrival = Arrival.beforehand
  package var disturbance = Disturbance.none
  /// The server's throttle limit.
  package var throttle = RateLimit(count: 5, windowMilliseconds: 1000)
  /// The main series of the scenario.
  package var mainSeries = LatencySeries.delivery

  /// The start of the disturbance, if it has one.
  var disturbanceTime: Int64? {
    switch disturbance {
    case .flood: duration / 2
    case .storm: duration / 3
    case .none, .churn: nil
    }
  }

  /// Returns the time at which a connection is opened, if it is opened while the load runs.
  func arrivalTime(of place: Int) -> Int64? {
    guard case .during(let first, let time) = arrival, place >= first, members.count > first else {
      return nil
    }
    return Int64(Double(time) * Double(place - first) / Double(members.count - first))
  }
}

/// The behaviour of one connection.
package struct LoadMember: Sendable, Hashable {
  /// The behaviour of the connection.
  package enum Role: Sendable, Hashable {
    /// Reads; storms and churn cut it off.
    case listener
    /// Sends and reads, and is never cut off.
    case sender
    /// Sends far more than allowed.
    case abuser
    /// Reads at most this number of bytes per second.
    case slowReader(bytesPerSecond: Int)
  }

  /// How the connection sends.
  package enum Sending: Sendable, Hashable {
    case never
    /// At fixed times; `phase` is the fraction of the first interval before the first message.
    case paced(perSecond: Double, phase: Double)
    /// As fast as answers arrive, with at most this number of unanswered messages.
    case window(Int)
  }

  package var role: Role
  package var sending: Sending
  /// The channels to enter, by their indexes in the plan.
  package var channels: [UInt32]
  /// The channels to create first; the connection's user is their operator.
  package var creates: [UInt32] = []

  package init(_ role: Role, channels: [UInt32], sending: Sending = .never) {
    self.role = role
    self.channels = channels
    self.sending = sending
  }

  var isSlow: Bool {
    if case .slowReader = role { true } else { false }
  }
}

/// The gateway under load, and the addresses to connect from.
package struct LoadTarget: Sendable {
  /// Makes names unique to this run.
  package let run: UInt32
  let plan: ConnectionPlan
  /// An access token for each connection, in the plan's order; empty if the gateway requires none.
  let accessTokens: [String]
  private let sources: [SocketAddress]
  private let connectionsPerSource: Int

  /// The problem with an address to connect from.
  package struct SourceFault: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Parameters:
  ///   - run: A random number.
  ///   - sources: Numeric addresses of this machine to connect from, in order. Without any, the
  ///     kernel chooses; for a gateway at 127.x, 127.0.0.1 and the following addresses are used.
  ///   - connectionsPerSource: The number of connections from an address before the next is used.
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

  /// Returns the user id of a connection.
  package static func userID(run: UInt32, place: Int) -> String {
    "load-\(String(run, radix: 16))-\(place)"
  }

  func localEnd(of place: Int, isSlow: Bool) -> LocalEnd {
    // A packet for each read would cost more than the read, and on the loopback interface even the
    // server's part of that is charged to the reader.
    var local = LocalEnd(acknowledgement: .delayed)
    if !sources.isEmpty { local.address = sources[place / connectionsPerSource % sources.count] }
    // The server does not notice bytes that the kernel buffers for a slow reader. With an even smaller
    // buffer, the kernel stalls for seconds at times while the reader catches up in the end.
    if isSlow { local.receiveBufferBytes = 65_536 }
    return local
  }

  /// One address has about 28,000 ports for connections to one server; all of 127.0.0.0/8 is this
  /// machine.
  private static func loopbackSources(for plan: ConnectionPlan) -> [String] {
    plan.serverHost.hasPrefix("127.") ? (1...250).map { "127.0.0.\($0)" } : []
  }
}
