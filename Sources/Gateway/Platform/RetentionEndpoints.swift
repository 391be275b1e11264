import Channels
import ParleyProtocol
import Store

/// The retention of messages in single channels, and legal holds, below `/v3/parley`.
enum RetentionEndpoints {
  /// `GET …/channels/{url}/retention`: the channel's own retention, and the rule that applies to it.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.inChannel(completion) { completion.retention(of: $0) }
  }

  /// `PUT …/channels/{url}/retention`: sets the age at which messages are removed, in seconds; -1 leaves it to
  /// the rule of the deployment.
  static func set(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let action = try call.body.survival() else { throw .missing("message_survival_seconds") }
    try change(action, call, completion)
  }

  /// `PUT …/channels/{url}/hold`: begins a legal hold, or ends it with `on` false.
  static func hold(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let isOn = try call.body.boolean("on") else { throw .missing("on") }
    try change(.hold(isOn), call, completion)
  }

  /// `GET …/holds`: a page of the channels with a legal hold, the oldest channel first.
  static func listHolds(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let query = HeldChannels(limit: try call.query.pageSize(), token: try call.query.pageToken())
    call.perform(query, completion) { page in JSONWriter.bytes { page.encode(into: &$0) } }
  }

  private static func change(
    _ action: RetentionChange.Action, _ call: PlatformCall, _ completion: Completion
  ) throws(ServiceError) {
    try call.inChannel(completion) { channel in
      channel.change(action) { channel, result in
        switch result {
        case .success: completion.retention(of: channel)
        case .failure(let error): completion.fail(error)
        }
      }
    }
  }
}

extension PlatformCall {
  /// Sets the `message_survival_seconds` of the body, if it is given, in the channel in the path, then continues
  /// there.
  func settingSurvival(
    _ completion: Completion, _ body: @escaping @Sendable (ChannelHost) -> Void
  ) throws(ServiceError) {
    guard let action = try self.body.survival() else { return try inChannel(completion, body) }
    try inChannel(completion) { channel in
      channel.change(action) { channel, result in
        switch result {
        case .success: body(channel)
        case .failure(let error): completion.fail(error)
        }
      }
    }
  }
}

extension Fields {
  /// The `message_survival_seconds` of a channel to be created; `nil` if it is absent or -1.
  ///
  /// - Throws: As ``survival()``.
  func survivalSeconds() throws(ServiceError) -> Int64? {
    try givenSurvival().flatMap { $0 > 0 ? $0 : nil }
  }

  /// - Throws: 400101, or 400113 for 0 and for a time that is too long.
  fileprivate func survival() throws(ServiceError) -> RetentionChange.Action? {
    try givenSurvival().map { .survive(seconds: $0 > 0 ? $0 : nil) }
  }

  /// Seconds, or -1.
  private func givenSurvival() throws(ServiceError) -> Int64? {
    let name = "message_survival_seconds"
    let range = Limits.survivalSeconds
    guard let seconds = try integer(name, in: -1...range.upperBound) else { return nil }
    guard seconds != 0 else { throw .outOfRange(name, 0, range) }
    return seconds
  }
}

extension Channel {
  /// Writes the channel's own time as a member of its object; -1 without one.
  func encodeSurvival(into writer: inout JSONWriter) {
    writer.member("message_survival_seconds", survivalSeconds ?? -1)
  }
}

extension ChannelHost {
  /// Changes the channel's own retention of messages.
  fileprivate func change(
    _ action: RetentionChange.Action,
    then: @escaping @Sendable (ChannelHost, Result<ChannelRetention, ServiceError>) -> Void
  ) {
    perform(RetentionChange(action, of: url)) { channel, result in
      if case .success(let retention) = result { channel.setRetention(retention) }
      then(channel, result)
    }
  }
}

extension Completion {
  /// Answers with the retention of a channel.
  fileprivate func retention(of channel: ChannelHost) {
    let (url, own) = (channel.url, channel.retention)
    let (rules, lifetime) = (channel.retentionRules, channel.messageLifetime)
    self {
      $0.object {
        $0.member("channel_url", url)
        $0.member("message_survival_seconds", own.survivalSeconds ?? -1)
        $0.member("hold", own.isHeld)
        $0.member("retention_seconds", lifetime.map { $0 / 1_000 } ?? -1)
        $0.member("keep_messages", own.isHeld ? 0 : rules.messageCount)
      }
    }
  }
}

extension HeldChannels.Page {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member(
        "channels",
        array: {
          for channel in channels {
            $0.object {
              $0.member("channel_url", channel.url)
              $0.member("channel_type", (channel.isGroup ? ChannelKind.group : .open).rawValue)
            }
          }
        })
      $0.member("next", next)
    }
  }
}
