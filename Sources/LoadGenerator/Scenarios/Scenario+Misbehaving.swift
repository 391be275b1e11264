extension Scenario {
  /// Abusers flood some of the channels, while others talk there and elsewhere.
  ///
  /// A quarter of the channels have abusers. Latencies are those of what the others say, before
  /// and during the flood.
  ///
  /// - Parameter abuse: Messages a second of each abuser.
  package static func flood(
    _ chatter: Chatter, abusers: Int, abuse: Double
  ) -> LoadPlan {
    var plan = LoadPlan(scenario: "flood")
    plan.channelCount = chatter.channels
    plan.members = members(of: chatter)
    let flooded = max(1, chatter.channels / 4)
    plan.members += (0..<abusers).map { index in
      LoadMember(
        .abuser, channels: [UInt32(truncatingIfNeeded: index % flooded)],
        sending: .paced(perSecond: abuse, phase: Double(index) / Double(abusers)))
    }
    plan.disturbance = .flood
    plan.settings = [
      ("channels", "\(chatter.channels)"), ("users in each", "\(chatter.users)"),
      ("talkers in each", "\(chatter.talkers)"),
      ("pace", "\(chatter.rate.formatted) messages/s of each"), ("abusers", "\(abusers)"),
      ("abuse", "\(abuse.formatted) messages/s of each"),
    ]
    return plan
  }

  /// Some of the subscribers read far more slowly than messages come.
  ///
  /// - Parameters:
  ///   - slow: How many of the subscribers.
  ///   - slowness: Bytes a second that each of those reads.
  package static func slow(
    subscribers: Int, slow: Int, slowness: Int, pace: Pace, bytes: Int
  ) -> LoadPlan {
    var plan = fanout(subscribers: subscribers - slow, senders: 1, pace: pace, bytes: bytes)
    plan.scenario = "slow"
    plan.members += Array(
      repeating: LoadMember(.slowReader(bytesPerSecond: slowness), channels: [0]), count: slow)
    plan.settings[0] = ("subscribers", "\(subscribers)")
    plan.settings += [("slow", "\(slow)"), ("reading", "\(slowness) B/s")]
    return plan
  }
}
