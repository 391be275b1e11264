extension Scenario {
  /// Very many connect within a short time, while there is talk.
  ///
  /// - Parameter time: Nanoseconds over which the connections are spread.
  package static func spike(
    connections: Int, over time: Int64, channels: Int, rate: Double
  ) -> LoadPlan {
    var plan = LoadPlan(scenario: "spike")
    plan.channelCount = channels
    plan.members = talkers(channels: channels, rate: rate)
    plan.arrival = .during(from: plan.members.count, over: time)
    plan.members += listeners(connections, channels: channels)
    plan.mainSeries = .connect
    plan.settings = [
      ("connections", "\(connections)"), ("over", "\(time / 1_000_000) ms"),
      ("channels", "\(channels)"), ("pace", "\(rate.formatted) messages/s in each"),
    ]
    return plan
  }

  /// All are cut off at once, and return at once for what they missed.
  package static func storm(connections: Int, channels: Int, rate: Double) -> LoadPlan {
    var plan = LoadPlan(scenario: "storm")
    plan.channelCount = channels
    plan.members = talkers(channels: channels, rate: rate)
    plan.members += listeners(connections, channels: channels)
    plan.disturbance = .storm
    plan.mainSeries = .recovery
    plan.settings = [
      ("connections", "\(connections)"), ("channels", "\(channels)"),
      ("pace", "\(rate.formatted) messages/s in each"),
    ]
    return plan
  }

  /// One who talks in each channel, and makes it.
  static func talkers(channels: Int, rate: Double) -> [LoadMember] {
    (0..<channels).map { index in
      let channel = UInt32(truncatingIfNeeded: index)
      var member = LoadMember(
        .sender, channels: [channel],
        sending: .paced(perSecond: rate, phase: Double(index) / Double(channels)))
      member.creates = [channel]
      return member
    }
  }

  /// So many who listen, spread evenly over the channels.
  static func listeners(_ count: Int, channels: Int) -> [LoadMember] {
    (0..<count).map {
      LoadMember(.listener, channels: [UInt32(truncatingIfNeeded: $0 % channels)])
    }
  }
}
