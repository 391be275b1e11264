package import FloodControl
package import ParleyProtocol

/// A request of a connection to enter a channel.
package struct EnterRequest: Sendable {
  package let principal: SessionPrincipal
  /// The last event that the client saw; `nil` for a client that does not request missed events.
  package let recover: StreamPosition?
  package let address: ReplyAddress
  /// Whether the user is in the channel on another server too, according to the channel's home.
  package var isElsewhere = false

  package init(principal: SessionPrincipal, recover: StreamPosition?, address: ReplyAddress) {
    self.principal = principal
    self.recover = recover
    self.address = address
  }

  /// The maximum size of the missed events in the answer.
  var eventByteLimit: Int { max(address.limit - Limits.eventByteCount, 0) }
}

/// An input of a ``ChannelStage``; large and rare inputs are allocated separately.
package enum StageInput: Sendable {
  /// The next event of the channel.
  case apply(ChannelEvent)
  /// The record of the channel, changed without an event.
  case record(Channel)
  /// A connection that the judge admits.
  indirect case enter(EnterRequest)
  /// A connection of a member of a group that requests missed events, as the judge permits.
  indirect case recover(MemberRecovery)
  /// A connection that the judge refuses.
  indirect case refuse(EnterRequest, ServiceError)
  /// The events that a ``RecoveryRead`` of this number found; `nil` when they no longer exist or
  /// hold too many bytes.
  case recovered(Int, Result<[DurableEvent]?, ServiceError>)
  /// A connection that left or closed.
  case leave(SessionAddress, userID: String)
  /// A connection that asks to observe the channel without being in it.
  indirect case observe(ReplyAddress)
  /// A connection that stops observing.
  case unobserve(SessionAddress)
  /// The host is searching the connections of a group's members.
  case seek
  /// The connections that a search has found.
  indirect case seats([Seat])
  /// A connection of a joined member that has opened its session.
  case seat(Seat)
  /// Users who are no members of the group, although no event has said so.
  indirect case strangers([String])
  /// All connections of a group's members leave its stage, because nothing happens in the group.
  case disperse
  /// A notification without a number, from the channel's home.
  case notice(StageNotice)
  /// A notification for one member of a group, after the events before it.
  indirect case notify(MemberNotice)
  /// A notification for the members of a group, after the events before it.
  indirect case notifyMembers(MembersNotice)
  /// The numbers of members of a large group, after the events before them.
  case memberCount(Event.MemberCount)
  /// The throttle's new limit.
  case throttle(RateLimit)
  /// The number of users in the channel who are on other servers only.
  case elsewhere(Int)
  /// The state from which the home continues; events up to it were applied, as far as they are known.
  indirect case resume(StageStart)
  /// Events were lost that can't be read: all clients have to reconnect.
  case abandon
  /// The outcome of a call, to be returned after all events before it.
  case answer(ReplyAddress, CallOutcome)
  /// The outcome of a call, to be returned after all events before it and before all events after it.
  case answerInOrder(ReplyAddress, CallOutcome)
  /// The time of the last ``StageAction/wake(at:)``.
  case deadline
  /// The end of the loop's turn: queued events and answers are sent.
  case endOfTurn
}

extension ChannelInfo {
  /// The result of `channel.enter`.
  ///
  /// - Parameters:
  ///   - epoch: Identifies the life of the channel's count of events.
  ///   - seq: The last event before the connection entered.
  ///   - recovered: The missed events as complete notifications; `nil` if they were not recovered.
  func encodedForEntering(epoch: String, seq: Int64, recovered: [[UInt8]]?) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("channel")
        encode(into: &$0)
        $0.member("participant_count", participantCount)
        $0.member("epoch", epoch)
        $0.member("seq", seq)
        $0.member("recovered", recovered != nil)
        $0.member("events", array: { for event in recovered ?? [] { $0.value(raw: event) } })
      }
    }
  }
}
