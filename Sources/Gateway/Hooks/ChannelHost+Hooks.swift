import Channels
import Hooks
import ParleyProtocol
import Reactor

extension Shard {
  /// Whether the app's back end is asked about each message.
  var asksAboutSends: Bool { services.hooks?.asks(.messageSend) ?? false }
}

/// Calls of a channel that the app's back end is asked about.
extension ChannelHost {
  /// Asks about a call for the judge.
  func ask(_ question: HookQuestion) {
    let (channel, path) = (LoopBound(self), shard.returnPath)
    guard let hooks = shard.services.hooks else { return }
    let principal = question.principal
    let request = HookRequest(
      question.hook, user: principal.user, session: principal.hookSession,
      channel: judge.info.encoded(), params: question.params, identity: question.identity)
    hooks.ask(request) { verdict in
      path.resume { _ in channel.value.handle(.hooked(question.id, verdict)) }
    }
  }

  /// Admits a connection of this server, unless the judge refuses it.
  func enter(_ request: EnterRequest) {
    guard !home.isGathering else { return home.hold(request) }
    if stage == nil { open() }
    let userID = request.principal.user.id
    do throws(ServiceError) {
      try requireEntering(userID)
      if shard.services.hooks?.asks(.channelEnter) == true {
        return askEntering(request.principal) { $0.enter(request, decided: $1) }
      }
      admit(request)
    } catch {
      stage?.handle(.refuse(request, error))
    }
  }

  /// Continues with a request to enter after the app's back end has decided.
  private func enter(_ request: EnterRequest, decided: Result<Void, ServiceError>) {
    // The next home asks again.
    guard !isReleased else { return shard.enter(request, url) }
    if stage == nil { open() }
    do throws(ServiceError) {
      try decided.get()
      try requireEntering(request.principal.user.id)
      admit(request)
    } catch {
      stage?.handle(.refuse(request, error))
    }
  }

  private func admit(_ request: EnterRequest) {
    var request = request
    request.isElsewhere = home.isElsewhere(request.principal.user.id)
    home.tellElsewhere()
    stage?.handle(StageInput.enter(request))
  }

  /// Asks about a user who wants to enter.
  ///
  /// - Parameter next: Called once, on the channel's shard.
  func askEntering(
    _ principal: SessionPrincipal,
    then next: @escaping @Sendable (ChannelHost, Result<Void, ServiceError>) -> Void
  ) {
    let (channel, path) = (LoopBound(self), shard.returnPath)
    guard let hooks = shard.services.hooks else { return next(self, .success(())) }
    let params = JSONWriter.bytes { $0.object { $0.member("channel_url", url) } }
    let request = HookRequest(
      .channelEnter, user: principal.user, session: principal.hookSession,
      channel: judge.info.encoded(), params: params)
    hooks.ask(request) { verdict in
      path.resume { _ in
        // A user who enters has no values to change.
        next(channel.value, verdict.applied(to: ()) { _, none in none }.result)
      }
    }
  }
}
