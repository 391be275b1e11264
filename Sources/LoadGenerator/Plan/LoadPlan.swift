package import FloodControl

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
