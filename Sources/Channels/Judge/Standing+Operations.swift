import ParleyProtocol

/// Changes of what is set for a channel, once the log has recorded them.
extension Standing {
  /// Takes over a recorded change, and publishes it.
  ///
  /// - Returns: The size of its event; 0 when nothing changed.
  mutating func apply(
    _ change: ChannelChange, _ record: RecordedChange, at timestamp: Int64,
    _ answer: inout OperationAnswer, into actions: inout JudgeActions
  ) -> Int {
    switch (change, record) {
    case (.fields(let changes), .made(let seq)):
      rights.apply(changes.applied(to: rights.channel))
      return publishRecord(.channelChanged, seq: seq, at: timestamp, into: &actions)
    case (.freeze(let isFrozen), .made(let seq)):
      var channel = rights.channel
      channel.isFrozen = isFrozen
      rights.apply(channel)
      return publishRecord(
        isFrozen ? .channelFrozen : .channelUnfrozen, seq: seq, at: timestamp, into: &actions)
    case (.restrict(let kind, let restriction), .user(let user, let seq)):
      rights.impose(kind, restriction)
      answer = .imposed(ImposedRestriction(user: user, restriction: restriction))
      return publish(kind, restriction, on: user, seq: seq, at: timestamp, into: &actions)
    case (.lift(let kind, let userID), .user(let user, let seq)):
      rights.lift(kind, of: userID)
      answer = .lifted(true)
      return publish(liftedFrom: user, kind, seq: seq, at: timestamp, into: &actions)
    case (.lift(let kind, let userID), .unchanged):
      rights.lift(kind, of: userID)
      answer = .lifted(false)
      return 0
    case (_, .operators(let operators, let seq)):
      return publishOperators(operators, seq: seq, at: timestamp, into: &actions)
    case (_, .unchanged), (_, .made), (_, .user): return 0
    }
  }

  /// Takes over the operators that there are now, and publishes them.
  ///
  /// - Returns: The size of the event.
  @discardableResult
  mutating func publishOperators(
    _ operators: [User], seq: Int64, at timestamp: Int64, into actions: inout JudgeActions
  ) -> Int {
    var channel = rights.channel
    channel.operators = operators
    rights.apply(channel)
    let number = count.number(seq)
    let payload = EventEncoder.operatorsChanged(
      origin(at: timestamp), seq: number, operators: operators)
    publish(
      .operatorsChanged, .record(channel), seq: number, at: timestamp, payload: payload,
      into: &actions)
    return payload.count
  }

  private enum RecordEvent {
    case channelChanged
    case channelFrozen
    case channelUnfrozen
  }

  private mutating func publishRecord(
    _ event: RecordEvent, seq: Int64, at timestamp: Int64, into actions: inout JudgeActions
  ) -> Int {
    let (number, channel, origin) = (count.number(seq), view.encoded(), origin(at: timestamp))
    let (name, payload): (WebhookEvent, [UInt8]) =
      switch event {
      case .channelChanged:
        (.channelChanged, EventEncoder.channelChanged(origin, seq: number, channel: channel))
      case .channelFrozen:
        (.channelFrozen, EventEncoder.channelFrozen(origin, seq: number, channel: channel))
      case .channelUnfrozen:
        (.channelUnfrozen, EventEncoder.channelUnfrozen(origin, seq: number, channel: channel))
      }
    publish(
      name, .record(rights.channel), seq: number, at: timestamp, payload: payload,
      into: &actions)
    return payload.count
  }

  private mutating func publish(
    _ kind: RestrictionKind, _ restriction: Restriction, on user: User, seq: Int64,
    at timestamp: Int64, into actions: inout JudgeActions
  ) -> Int {
    let (number, origin) = (count.number(seq), origin(at: timestamp))
    let (seconds, description) = (restriction.seconds, restriction.description)
    let payload: [UInt8]
    switch kind {
    case .ban:
      payload = EventEncoder.userBanned(
        origin, seq: number, user: user, seconds: seconds, description: description)
      publish(
        .userBanned, .expulsion(ofUser: user.id), seq: number, at: timestamp, payload: payload,
        into: &actions)
    case .mute:
      payload = EventEncoder.userMuted(
        origin, seq: number, user: user, seconds: seconds, description: description)
      publish(
        .userMuted, .announcement, seq: number, at: timestamp, payload: payload, into: &actions)
    }
    return payload.count
  }

  private mutating func publish(
    liftedFrom user: User, _ kind: RestrictionKind, seq: Int64, at timestamp: Int64,
    into actions: inout JudgeActions
  ) -> Int {
    let (number, origin) = (count.number(seq), origin(at: timestamp))
    let (name, payload): (WebhookEvent, [UInt8]) =
      switch kind {
      case .ban: (.userUnbanned, EventEncoder.userUnbanned(origin, seq: number, user: user))
      case .mute: (.userUnmuted, EventEncoder.userUnmuted(origin, seq: number, user: user))
      }
    publish(name, .announcement, seq: number, at: timestamp, payload: payload, into: &actions)
    return payload.count
  }
}
