package import ClientTransport
package import FloodControl
internal import Reactor

/// The plan of a run: its connections, their behaviour, and the times of disturbances.
///
/// Times are nanoseconds; arrivals and disturbances count from the beginning of the measured stretch.
package struct LoadPlan: Sendable {
  /// When connections are made.
  package enum Arrival: Sendable, Hashable {
    /// All before the load begins.
    case beforehand
    /// Those from a place in the plan on spread over a time, while the load runs; the others
    /// before.
    case during(from: Int, over: Int64)
  }

  /// The disturbance of the load.
  package enum Disturbance: Sendable, Hashable {
    case none
    /// When half of the measured stretch is over, the abusers begin to send.
    case flood
    /// When a third of the measured stretch is over, all listeners are cut off and return at once.
    case storm
    /// One listener after the other is cut off and returns.
    case churn(every: Int64)
  }

  package var scenario: String
  /// The options of the run, for the report.
  package var settings: [(name: String, value: String)] = []
  /// One for each connection, and user.
  package var members: [LoadMember] = []
  package var channelCount = 1
  package var content = MessageContent.plain(bytes: 128)
  package var warmUp: Int64 = 2_000_000_000
  /// The measured stretch, behind the warm-up.
  package var duration: Int64 = 10_000_000_000
  package var arrival = Arrival.beforehand
  package var disturbance = Disturbance.none
  /// The server's throttle limit.
  package var throttle = RateLimit(count: 5, windowMilliseconds: 1000)
  /// The series that the scenario is about.
  package var mainSeries = LatencySeries.delivery

  package init(scenario: String) {
    self.scenario = scenario
  }

  /// When the disturbance begins, if it has a beginning.
  var disturbanceTime: Int64? {
    switch disturbance {
    case .flood: duration / 2
    case .storm: duration / 3
    case .none, .churn: nil
    }
  }

  /// Whether a connection is made while the load runs, and when.
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
    /// Sends far more than it may.
    case abuser
    /// Reads at most this number of bytes per second.
    case slowReader(bytesPerSecond: Int)
  }

  /// How it sends.
  package enum Sending: Sendable, Hashable {
    case never
    /// At fixed times; `phase` is the part of the first interval that passes before the first.
    case paced(perSecond: Double, phase: Double)
    /// As fast as answers arrive, with at most this number of unanswered messages.
    case window(Int)
  }

  package var role: Role
  package var sending: Sending
  /// The channels that it enters, by their places in the plan.
  package var channels: [UInt32]
  /// The channels that it makes first, of which it is an operator.
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
    // What the kernel takes in for a slow reader, the server does not see waiting. With still less,
    // the kernel halts for seconds now and then while the reader catches up in the end.
    if isSlow { local.receiveBufferBytes = 65_536 }
    return local
  }

  /// One address has some 28,000 ports for connections to one server; any of 127.0.0.0/8 is this
  /// machine.
  private static func loopbackSources(for plan: ConnectionPlan) -> [String] {
    plan.serverHost.hasPrefix("127.") ? (1...250).map { "127.0.0.\($0)" } : []
  }
}
