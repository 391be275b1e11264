import Channels
import HTTP
import Logging
import ParleyProtocol
import Transport

/// The messages that shards send to one another.
extension Shard {
  /// Sends a message.
  ///
  /// Messages to one shard arrive in the order they were sent.
  ///
  /// A message to this shard itself is received in the same turn, but never within the caller's own
  /// work.
  func send(_ message: ShardMessage) {
    if let edge { return edge.calls.send(message) }
    guard let receiver = services.shards.receiver(of: message) else { return }
    send(.message(message), to: receiver)
  }

  func receive(_ message: consuming ShardMessage) {
    if let edge, edge.calls.passOn(message) { return }
    switch consume message {
    case .channel(let url, let message): receive(message, inChannel: url)
    case .stage(_, let url, let message): receive(message, onStageOf: url)
    case .user(let id, let message): receive(message, ofUser: id)
    case .session(let address, let message): receive(message, inSession: address)
    case .exchange(let address, let outcome):
      if let outcome = accepted(outcome, .exchange(address)) { respond(outcome, to: address) }
    case .shard(_, let task): perform(task)
    }
  }

  private func receive(_ message: consuming ChannelMessage, inChannel url: String) {
    switch consume message {
    case .command(let command, let principal, let address):
      // Nearly all channels are in memory: a closure for each message would cost more than the look-up.
      if let channel = channels.used(url) {
        return channel.perform(command, by: principal, replyTo: address)
      }
      inChannel(url, address) { $0.perform(command, by: principal, replyTo: address) }
    case .listParticipants(let limit, let token, let principal, let address):
      inChannel(url, address) {
        $0.listParticipants(limit: limit, token: token, for: principal, address)
      }
    case .listMessages(let list, let principal, let address):
      inChannel(url, address) { $0.list(list, for: principal, replyTo: address) }
    case .listMembers(let list, let principal, let address):
      inChannel(url, address) { $0.listMembers(list, for: principal, replyTo: address) }
    case .listChanges(let list, let principal, let address):
      inChannel(url, address) { $0.listChanges(list, for: principal, replyTo: address) }
    case .complain(let draft, let principal, let address):
      inChannel(url, address) { $0.keep(draft, of: principal, replyTo: address) }
    case .recover(let position, let principal, let byteLimit, let address):
      recover(
        url, after: position, by: principal, byteLimit: byteLimit, replyTo: address)
    case .exited(let session): inChannel(url) { $0.handle(.exited(session)) }
    case .profile(let user): inChannel(url) { $0.handle(.profile(user)) }
    case .report(let report, let address): receive(report, from: address, inChannel: url)
    case .platform(let request): perform(request)
    case .submit(let order, let kind, let createdAt, let author, let address):
      submit(
        order, createdAt: createdAt, onBehalfOf: author, to: kind, url, replyTo: address)
    case .viewGroup(let address): viewGroup(url, replyTo: address)
    case .background(let command, let user, let address):
      perform(command, by: user, inChannel: url, replyTo: address)
    case .explainLimits(let userID, let address):
      explainLimits(ofUser: userID, inChannel: url, replyTo: address)
    case .create(let channel, let address): create(channel, replyTo: address)
    case .createGroup(let creation, let address): create(creation, replyTo: address)
    case .dismiss(let userID, let address): dismiss(userID, inChannel: url, replyTo: address)
    case .restrictionsRemoved(let userID):
      inChannel(url) { $0.handle(.restrictionsRemoved(of: userID)) }
    case .blocked(let block):
      channels.withKnownChannel(url) { $0.handleInOrder(.blocked(block)) }
    case .unblocked(let block):
      channels.withKnownChannel(url) { $0.handleInOrder(.unblocked(block)) }
    case .readPrivacyChanged(let userID, let hidesReads):
      channels.withKnownChannel(url) {
        $0.handleInOrder(.readPrivacyChanged(userID: userID, hidesReads: hidesReads))
      }
    case .metadata(let metadata): inChannel(url) { $0.setMetadata(metadata) }
    case .lateAddition(let addition): inChannel(url) { $0.handle(.handedOver(addition)) }
    }
  }

  private func receive(_ message: StageMessage, onStageOf url: String) {
    switch message {
    case .enter(let request): enter(request, url)
    case .leave(let session, let userID):
      if let stage = stages[url] {
        stage.handle(.leave(session, userID: userID))
      } else if homeServer(ofChannel: url) == services.server {
        inChannel(url) { $0.leave(session, userID: userID) }
      }
    case .news(let news, let attachment):
      if let stage = stages[url] {
        stage.take(news, attachment: attachment)
      } else {
        // Calls may be answered, and connections of members added, after the stage was removed.
        for case .answer(let address, let outcome) in news { reply(to: address, outcome) }
        for case .seat(let seat) in news { renew(seat) }
      }
    case .seek(let question): seek(question, inGroup: url)
    case .answer(let address, let outcome, let seq):
      guard let stage = stages[url] else { return reply(to: address, outcome) }
      stage.handle(AttachmentInput.answer(address, outcome, after: seq))
    }
  }

  private func receive(_ message: UserMessage, ofUser id: String) {
    switch message {
    case .expect(let session):
      users.expect(session, of: id)
      send(.session(session, .expected))
    case .add(let session, let openedAt, let profile, let hearsGroups):
      users.add(session, of: id, openedAt: openedAt, hearsGroups: hearsGroups)
      if let profile { users.update(profile) }
      if hearsGroups, edge == nil {
        GroupCover(Seat(userID: id, session: session), on: self) {}.begin()
      }
    case .remove(let session, let lostSince):
      users.remove(session, of: id, lostSince: lostSince)
    case .background(let session, let isOn): users.setBackground(isOn, session, of: id)
    case .enter(let request, let url): reserve(url, for: request)
    case .release(let session, let url): users.release(url, of: session, of: id)
    case .update(let user): users.update(user)
    case .expel(let reason): users.expel(id, reason: reason)
    case .revoke(let proof, let reason): users.revoke(proof, of: id, reason: reason)
    case .mention(let userIDs, let event): mention(userIDs, bySenderAtHome: id, event)
    case .notify(let event): users.send(event, to: id)
    case .notifyOfGroup(let event): users.send(event, toGroupSessionsOf: id)
    case .announce(let session, let openedAt, let urls, let hearsGroups, let isInBackground):
      users.announce(
        session, of: id, openedAt: openedAt, channelURLs: urls, hearsGroups: hearsGroups,
        isInBackground: isInBackground)
    case .forget(let session): users.forget(session, of: id)
    case .listChannels(let address):
      send(.shard(address.shard, .answer(.channels(users.channels(of: id)), to: address)))
    }
  }

  private func receive(
    _ message: consuming SessionMessage, inSession address: SessionAddress
  ) {
    let session = session(address)
    switch consume message {
    case .expected:
      if accepted(.empty, .opening(address)) != nil { session?.authenticate() }
    case .complete(let call, let outcome):
      if let outcome = accepted(outcome, .session(call)) {
        releasePicture(of: call, after: outcome)
        session?.complete(call, outcome)
      }
    case .entered(let url, let userID, let call, let result):
      if accepted(.empty, .session(call)) != nil {
        didEnter(url, userID: userID, call, result: result)
      } else if session?.isIn(url) != true {
        leave(url, call.session, userID: userID)
      }
    case .seated(let url, let userID): didSeat(url, userID: userID, address)
    case .removed(let url): session?.wasPutOut(of: url)
    case .notify(let event): session?.send(event)
    case .profile(let user): session?.userDidChange(user)
    case .expel(let reason): session?.close(.unauthorized, reason: reason)
    case .expelOldest:
      session?.close(
        .tooManySessions, reason: "the user has opened too many sessions: this was its oldest")
    case .revoke(let proof, let reason):
      session?.evict(Eviction(of: proof, reason: reason))
    case .charge(let cost): session?.charge(cost)
    case .pass(let ticket): session?.pass(ticket)
    case .chargeRepetition(let ticket): session?.chargeRepetition(ticket)
    case .disconnect:
      session?.close(.goingAway, reason: "events of a channel were lost: recover or list them")
    }
  }

  /// Answers an HTTP request of this shard.
  func respond(_ outcome: CallOutcome, to address: ExchangeAddress) {
    guard address.connection != HomeCalls.connection else {
      homeCalls.end(address.number)?(outcome)
      return
    }
    endAudit(address, outcome)
    if case .failure(let error) = outcome { countOutcome(of: error) }
    transport.respond(HTTPResponse(outcome).naming(address.trace), to: Exchange.ID(address))
  }

  /// Counts an error that is returned to a caller of this shard, if it leaves the outcome unknown.
  func countOutcome(of error: ServiceError) {
    if error.data.outcome != nil { services.relayCounts.add(to: .unknownOutcomes) }
  }

  /// The answer to a caller; `nil` when the caller must wait for another answer, or already has one.
  private func accepted(_ outcome: CallOutcome, _ address: AnswerAddress) -> CallOutcome? {
    guard let edge else { return outcome }
    return edge.calls.accept(outcome, address)
  }

  private func perform(_ task: consuming ShardTask) {
    switch consume task {
    case .deliver(let plan): deliver(plan)
    case .notify(let event, let sessions): send(event, to: sessions)
    case .renewLimits: channels.renewLimits()
    case .drainServer: services.drainOnRequest(askedBy: ["server": "another one was called"])
    case .ask(let question, let address): answer(question, to: address)
    case .askServer(let question, let address): answerForServer(question, to: address)
    case .answer(let answer, let address): take(answer, to: address)
    case .stagesMark(let mark): take(mark)
    case .stream(let message): receive(message)
    case .notice(let service, let notice): services.receive(notice, for: service)
    }
  }

  /// Runs `body` with a channel that is at home here, or refuses the session's call.
  private func inChannel(
    _ url: String, _ address: ReplyAddress, _ body: @escaping (ChannelHost) -> Void
  ) {
    channels.withChannel(url) { [unowned self] result in
      switch result {
      case .success(let channel): body(channel)
      case .failure(let error): reply(to: address, .failure(error))
      }
    }
  }

  /// Runs `body` with a channel that is at home here, if there is such a channel.
  private func inChannel(_ url: String, _ body: @escaping (ChannelHost) -> Void) {
    channels.withChannel(url) { result in
      if case .success(let channel) = result { body(channel) }
    }
  }
}
