/// The plans of the scenarios.
package enum Scenario {
  /// The pace of a scenario's senders.
  package enum Pace: Sendable, Hashable {
    /// A number of messages per second from all senders together, at fixed times.
    case rate(Double)
    /// As fast as answers arrive, with this number of unanswered messages per sender.
    case window(Int)
  }

  /// A few users send to a channel with many users.
  package static func fanout(subscribers: Int, senders: Int, pace: Pace, bytes: Int) -> LoadPlan {
    var plan = LoadPlan(scenario: "fanout")
    plan.content = .plain(bytes: bytes)
    for index in 0..<senders {
      var sender = LoadMember(
        .sender, channels: [0], sending: sending(pace, of: senders, at: index))
      if index == 0 { sender.creates = [0] }
      plan.members.append(sender)
    }
    plan.members += Array(
      repeating: LoadMember(.listener, channels: [0]), count: subscribers)
    plan.settings = [
      ("subscribers", "\(subscribers)"), ("senders", "\(senders)"), ("pace", pace.words),
      ("text", "\(bytes) B"),
    ]
    return plan
  }

  /// Returns the share of one of several senders, spread evenly over the interval.
  static func sending(_ pace: Pace, of count: Int, at index: Int) -> LoadMember.Sending {
    switch pace {
    case .rate(let rate):
      .paced(perSecond: rate / Double(count), phase: Double(index) / Double(count))
    case .window(let window): .window(window)
    }
  }
}

extension Scenario.Pace {
  /// The description for the report.
  var words: String {
    switch self {
    case .rate(let rate): "\(rate.formatted) messages/s"
    case .window(let count): "as fast as answered, \(count) under way"
    }
  }
}

extension Double {
  /// The number, without a fraction if it has none.
  var formatted: String { self == rounded() && magnitude < 1e15 ? "\(Int64(self))" : "\(self)" }
}

extension Scenario {
  /// Very many users connect within a short time, while messages are sent.
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

  /// All connections are cut at once, and reconnect at once to recover what they missed.
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

  /// Returns one sender for each channel, which also creates it.
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

  /// Returns listeners, spread evenly over the channels.
  static func listeners(_ count: Int, channels: Int) -> [LoadMember] {
    (0..<count).map {
      LoadMember(.listener, channels: [UInt32(truncatingIfNeeded: $0 % channels)])
    }
  }
}

/// The conversation of users in many channels at once.
package struct Chatter: Sendable, Hashable {
  package var channels: Int
  /// Users in each channel; each user is in one.
  package var users: Int
  /// The number of users that send, at least one in each channel.
  package var talkers: Int
  /// Messages per second of each talker.
  package var rate: Double

  package init(channels: Int, users: Int, talkers: Int, rate: Double) {
    self.channels = channels
    self.users = users
    self.talkers = talkers
    self.rate = rate
  }
}

extension Scenario {
  /// Many users send in many channels, as in normal use.
  package static func chatter(_ chatter: Chatter, content: MessageContent) -> LoadPlan {
    var plan = LoadPlan(scenario: "chatter")
    plan.channelCount = chatter.channels
    plan.content = content
    plan.members = members(of: chatter)
    plan.settings = settings(of: chatter, content)
    return plan
  }

  /// The same for a long time, while connections come and go.
  ///
  /// - Parameter interval: The nanoseconds after which the next listener is cut off; `nil` cuts off
  ///   none.
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

  /// Returns the members channel by channel; the first of each creates it.
  static func members(of chatter: Chatter) -> [LoadMember] {
    let talkerCount = chatter.channels * chatter.talkers
    return (0..<chatter.channels).flatMap { channel in
      (0..<chatter.users).map { index in
        let place = [UInt32(truncatingIfNeeded: channel)]
        var member = LoadMember(.listener, channels: place)
        if index < chatter.talkers {
          // No two users send at the same moment: the phases are spread over all.
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

extension Scenario {
  /// Abusers flood some of the channels, while other users send there and elsewhere.
  ///
  /// A quarter of the channels have abusers. Latencies are those of the other users' messages,
  /// before and during the flood.
  ///
  /// - Parameter abuse: Messages per second of each abuser.
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

  /// Some of the subscribers read far more slowly than messages arrive.
  ///
  /// - Parameters:
  ///   - slow: The number of slow subscribers.
  ///   - slowness: Bytes per second that each of them reads.
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
