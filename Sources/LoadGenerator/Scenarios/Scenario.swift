/// The plans of the scenarios.
package enum Scenario {
  /// How a scenario's senders send.
  package enum Pace: Sendable, Hashable {
    /// So many messages a second, of all senders together, at fixed times.
    case rate(Double)
    /// As fast as answers arrive, with this number of unanswered messages per sender.
    case window(Int)
  }

  /// Few send to a channel that many are in.
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

  /// The share of one of several senders, spread evenly over the interval.
  static func sending(_ pace: Pace, of count: Int, at index: Int) -> LoadMember.Sending {
    switch pace {
    case .rate(let rate):
      .paced(perSecond: rate / Double(count), phase: Double(index) / Double(count))
    case .window(let window): .window(window)
    }
  }
}

extension Scenario.Pace {
  /// For the report.
  var words: String {
    switch self {
    case .rate(let rate): "\(rate.formatted) messages/s"
    case .window(let count): "as fast as answered, \(count) under way"
    }
  }
}

extension Double {
  /// Without a fraction when it has none.
  var formatted: String { self == rounded() && magnitude < 1e15 ? "\(Int64(self))" : "\(self)" }
}
