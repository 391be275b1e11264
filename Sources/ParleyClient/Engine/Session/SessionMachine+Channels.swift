internal import ParleyProtocol

/// The channels to re-enter after reconnecting.
extension SessionMachine {
  /// The number of consecutive failures after which the client gives the channel up.
  private static let failureLimit = 3

  /// Records the effect of a call on a channel.
  mutating func apply(_ effect: ChannelEffect, _ result: Result<JSONNode, ServiceError>) {
    switch (effect, result) {
    case (.enter(let url), .success(let node)): didEnter(url, EnterAnswer(node))
    case (.enter, .failure): break
    case (.exit(let url), .success), (.delete(let url), .success): didLeave(url)
    case (.delete, .failure): break
    case (.exit(let url), .failure):
      if channels[url]?.presence == .leaving { channels[url]?.presence = .inside }
    }
  }

  mutating func didLeave(_ url: String) {
    channels[url] = nil
    deliver(.left(channelURL: url))
  }

  private mutating func didEnter(_ url: String, _ answer: EnterAnswer) {
    deliver(.entered(channelURL: url))
    var channel = EnteredChannel(position: answer.position)
    if let known = channels[url], known.presence != .outside {
      // Re-entering changes nothing, and events may have arrived since the response was made.
      guard known.position?.epoch != answer.position?.epoch else { return }
      channel.presence = known.presence
    }
    channels[url] = channel
    for event in answer.events {
      deliver(.notification(method: event.method, params: event.params))
    }
  }

  /// Re-enters all channels of the lost connection.
  mutating func enterAgain(_ moment: Moment) {
    for url in channels.keys.sorted() where channels[url]?.presence == .outside {
      requestEntering(url, moment)
    }
  }

  private mutating func requestEntering(_ url: String, _ moment: Moment) {
    guard case .open(var session) = state else { return }
    session.entering[url] = moment.now + openingPatience
    state = .open(session)
    let position = channels[url]?.recoverable
    let text = RPCRequest.encoded(id: register(.enter(url)), method: "channel.enter") {
      $0.member("channel_url", url)
      guard let position else { return }
      $0.member(
        "recover",
        object: {
          $0.member("epoch", position.epoch)
          $0.member("seq", position.reached)
        })
    }
    actions.append(.send(text))
  }

  mutating func didEnterAgain(
    _ url: String, _ result: Result<JSONNode, ServiceError>, _ moment: Moment
  ) {
    guard case .open(var session) = state else { return }
    session.entering[url] = nil
    state = .open(session)
    switch result {
    case .success(let node): recover(url, EnterAnswer(node))
    case .failure(let refusal): didFailToEnter(url, refusal, moment)
    }
    sendWaiting(moment)
  }

  private mutating func recover(_ url: String, _ answer: EnterAnswer) {
    guard let channel = channels[url] else { return }
    var missed = 0
    for event in answer.events
    where take(event.method, event.params, inChannel: url) { missed += 1 }
    let isComplete =
      answer.isRecovered || channel.position?.hasSeenAll(upTo: answer.position) == true
    channels[url] = EnteredChannel(
      position: answer.position,
      presence: channels[url]?.presence == .leaving ? .leaving : .inside)
    deliver(
      isComplete
        ? .recovered(channelURL: url, missed: missed)
        : .recoveryFailed(channelURL: url, reason: .gap))
  }

  private mutating func didFailToEnter(
    _ url: String, _ refusal: ServiceError, _ moment: Moment
  ) {
    guard var channel = channels[url] else { return }
    channel.failureCount += 1
    channels[url] = channel
    if refusal.isTransient, channel.failureCount < Self.failureLimit {
      actions.append(.closeConnection(.finished))
      let wait = refusal.data.retryAfterMilliseconds ?? 0
      return lose(Loss(.serverUnavailable(refusal.description), .after(wait)), moment)
    }
    channels[url] = nil
    deliver(.recoveryFailed(channelURL: url, reason: RecoveryFailure(refusal)))
  }

  /// Marks the channels after the connection was lost.
  mutating func leaveChannels(_ loss: Loss) {
    guard case .open(let session) = state else { return }
    for (url, channel) in channels {
      if channel.presence == .leaving {
        didLeave(url)
        continue
      }
      channels[url]?.presence = .outside
      if case .suspected = loss.repetition, session.entering[url] != nil {
        channels[url]?.recovery = .forgone
      }
    }
  }
}

extension RecoveryFailure {
  /// The reason why the server refused to let the client re-enter.
  init(_ refusal: ServiceError) {
    switch refusal.code {
    case .banned: self = .banned
    case .notFound: self = .deleted
    default: self = .refused(ParleyError(refusal))
    }
  }
}
