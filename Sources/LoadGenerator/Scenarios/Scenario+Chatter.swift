/// How people talk in many channels at once.
package struct Chatter: Sendable, Hashable {
  package var channels: Int
  /// Users in each channel; each is in one.
  package var users: Int
  /// How many of them talk, at least one in each channel.
  package var talkers: Int
  /// Messages a second of each talker.
  package var rate: Double

  package init(channels: Int, users: Int, talkers: Int, rate: Double) {
    self.channels = channels
    self.users = users
    self.talkers = talkers
    self.rate = rate
  }
}

extension Scenario {
  /// Many talk in many channels, as people do.
  package static func chatter(_ chatter: Chatter, content: MessageContent) -> LoadPlan {
    var plan = LoadPlan(scenario: "chatter")
    plan.channelCount = chatter.channels
    plan.content = content
    plan.members = members(of: chatter)
    plan.settings = settings(of: chatter, content)
    return plan
  }

  /// The same for long, while connections come and go.
  ///
  /// - Parameter interval: The nanoseconds after which the next listener is disconnected; `nil`
  ///   leaves all alone.
  package static func soak(
    _ chatter: Chatter, content: MessageContent, cuttingEvery interval: Int64?
  ) -> LoadPlan {
    var plan = Self.chatter(chatter, content: content)
    plan.scenario = "soak"
    if let interval {
      plan.disturbance = .churn(every: interval)
      plan.settings.append(("cut off", "one every \(interval / 1_000_000) ms"))
    }
    return plan
  }

  /// Channel by channel; the first of each makes it.
  static func members(of chatter: Chatter) -> [LoadMember] {
    let talkerCount = chatter.channels * chatter.talkers
    return (0..<chatter.channels).flatMap { channel in
      (0..<chatter.users).map { index in
        let place = [UInt32(truncatingIfNeeded: channel)]
        var member = LoadMember(.listener, channels: place)
        if index < chatter.talkers {
          // Nobody talks at the same moment as another: the phases are spread over all.
          let turn = Double(index * chatter.channels + channel) / Double(talkerCount)
          member = LoadMember(
            .sender, channels: place, sending: .paced(perSecond: chatter.rate, phase: turn))
        }
        if index == 0 { member.creates = place }
        return member
      }
    }
  }

  private static func settings(
    of chatter: Chatter, _ content: MessageContent
  ) -> [(name: String, value: String)] {
    var settings = [
      ("channels", "\(chatter.channels)"), ("users in each", "\(chatter.users)"),
      ("talkers in each", "\(chatter.talkers)"),
      ("pace", "\(chatter.rate.formatted) messages/s of each"),
    ]
    if case .mixed(let mix) = content {
      settings.append(("links", "\(Quantity.fixed(mix.linkShare * 100, digits: 1)) %"))
    }
    return settings.map { (name: $0.0, value: $0.1) }
  }
}
