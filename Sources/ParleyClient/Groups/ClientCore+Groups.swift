/// The groups of the session's user.
///
/// Every group that the client knows was read from the server. An event of a group that the client does
/// not know as a member waits until the group has been read. A connection delivers all events of the
/// groups from `group.ready` on. So the client then recovers the events of each group that it read before,
/// or reads it again, and reports whether events are missing.
extension ClientCore {
  var groupCalls: GroupCalls { GroupCalls(reader: reader) }

  /// Returns the group's only object, updated from an answer, and delivers the events held for it.
  func group(_ properties: ChannelProperties) -> GroupChannel {
    var properties = properties
    properties.view.isCovered = hasGroupEvents
    return keep(properties)
  }

  /// Returns the objects of the groups on a page of a list.
  ///
  /// A list may be older than events that came before its answer, so it does not change groups that
  /// events keep up to date.
  ///
  /// - Parameter coverage: ``groupCoverage`` when the list was requested.
  func listed(_ page: [ChannelProperties], since coverage: Int) -> [GroupChannel] {
    let isCovered = hasGroupEvents && groupCoverage == coverage
    let groups = page.map { properties in
      if let known = channels.known(properties.snapshot.url) as? GroupChannel,
        known.state.view.my != nil, known.state.view.isCovered
      {
        return known
      }
      var properties = properties
      properties.view.isCovered = isCovered
      return keep(properties)
    }
    // `group.ready` has arrived while the server made the list, which may lack events before it.
    if hasGroupEvents, !isCovered { recoverGroups(changedSince: nil) }
    return groups
  }

  private func keep(_ properties: ChannelProperties) -> GroupChannel {
    let channel = channels.channel(properties.snapshot.url) { GroupChannel(properties, self) }
    let isComplete = channel.state.read(properties)
    noteDelivery(ofLastMessageIn: channel)
    if properties.view.my != nil, engineConfiguration.receivesGroups {
      channels.enter(channel)
    } else {
      channels.exit(channel.url)
    }
    if let isComplete {
      tell(.group(channel, isComplete ? .recovered(eventCount: 0) : .eventsLost(.gap)))
    }
    // While the group is recovered, its events follow those that were missed, unless this answer has them.
    guard isComplete != nil || !channel.state.view.holdsEvents else { return channel }
    channel.state.stopHoldingEvents()
    for event in arrivals.take(channel.url) {
      // Other events are part of the answer, among them those without a number.
      if let seq = event.seq, !channel.state.contains(seq: seq) {
        channel.state.apply(event.change, seq: seq)
      }
      noteDelivery(of: event, in: channel)
      tell(.group(channel, event.event), event.notification)
    }
    return channel
  }

  /// Receives an event of a group, on the engine's thread.
  func receive(_ event: GroupArrivals.Event, ofGroup url: String) {
    guard let channel = channels.known(url) as? GroupChannel, channel.myMemberState != .none else {
      return receive(event, ofUnknownGroup: url)
    }
    if channel.state.view.holdsEvents {
      guard case .membershipEnded = event.event else {
        _ = arrivals.hold(event, ofGroup: url)
        return
      }
      _ = arrivals.take(url)
      channel.state.stopHoldingEvents()
    }
    // With several servers an event may arrive after the answer that it was recovered with.
    if channel.state.view.hasRecovered(event) { return }
    if channel.state.hasGap(before: event) {
      _ = arrivals.hold(event, ofGroup: url)
      return recoverGap(in: channel)
    }
    deliver(event, to: channel)
  }

  /// Applies an event, and reports it.
  func deliver(_ event: GroupArrivals.Event, to channel: GroupChannel) {
    let url = channel.url
    let mustBeRead = channel.state.view.mustBeRead(after: event)
    channel.state.apply(event.change, seq: event.seq)
    if case .membershipEnded = event.event { channels.exit(url) }
    if mustBeRead { read(url) }
    noteDelivery(of: event, in: channel)
    tell(.group(channel, event.event), event.notification)
  }

  private func receive(_ event: GroupArrivals.Event, ofUnknownGroup url: String) {
    if case .membershipEnded = event.event {
      _ = arrivals.take(url)
    } else if engineConfiguration.receivesGroups, arrivals.hold(event, ofGroup: url) {
      read(url)
    }
  }

  /// Reads a group.
  private func read(_ url: String) {
    Task { [self] in
      do throws(ParleyError) {
        _ = try await performPatiently(groupCalls.get(url).map(group), waiting: \.pauseOfCalls)
      } catch {
        // The user has left the group meanwhile, or the session has ended.
        _ = arrivals.take(url)
      }
    }
  }

  /// Records that events of groups may be missing until the next `group.ready`.
  func loseGroupEvents() {
    for group in channels.groups {
      group.state.uncover()
      // They are recovered with those that are missed.
      if group.state.view.holdsEvents { _ = arrivals.take(group.url) }
    }
  }

  /// Reads a group again.
  func readAgain(_ channel: GroupChannel) async {
    channel.state.stopHoldingEvents()
    do throws(ParleyError) {
      try await performPatiently(
        groupCalls.get(channel.url).map(channel.read), waiting: \.pauseOfCalls)
    } catch {
      _ = arrivals.take(channel.url)
      guard let loss = EventLoss(refusal: error) else { return }
      if !loss.isInChannel {
        channel.state.apply(.members(.lost))
        channels.exit(channel.url)
      }
      tell(.group(channel, .eventsLost(loss)))
    }
  }
}

extension ParleyError {
  /// The pause after which a call may be made again that was one of too many.
  var pauseOfCalls: Duration? {
    if case .rateLimited(let pause) = self { pause } else { nil }
  }
}

extension GroupChannel {
  /// Whether events of the user's group may be missing.
  var mustBeRead: Bool {
    let view = state.view
    return view.my != nil && !view.isCovered
  }
}

extension EventLoss {
  /// The reason why a group cannot be read; `nil` if the connection failed, so that it is read later.
  fileprivate init?(refusal error: ParleyError) {
    switch error {
    case .notFound: self = .deleted
    case .banned: self = .banned
    case .refused(let code, _, _) where code < 500_000: self = .refused(error)
    case .connectionLost, .connectionFailed, .cancelled, .notConnected: return nil
    case .refused, .unauthorized, .notInChannel, .muted, .frozen, .tooManyMessages, .rateLimited,
      .malformedAnswer, .timedOut, .tooManyPending, .invalidConfiguration, .unreadableFile:
      self = .gap
    }
  }
}
