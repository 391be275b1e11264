import Channels
import HTTP1
import ParleyProtocol
import ShardMessages
import Transport

/// Everything that shards ask of one another.
extension Shard {
  /// Sends a message, after all that this shard sent to the same shard before.
  ///
  /// A message for this shard itself is received in this very turn, but never within the caller's
  /// own work.
  func send(_ message: ShardMessage) {
    send(.message(message), to: services.shards.receiver(of: message))
  }

  func receive(_ message: ShardMessage) {
    switch message {
    case .channel(let url, let message): receive(message, inChannel: url)
    case .user(let id, let message): receive(message, ofUser: id)
    case .session(let address, let message): receive(message, inSession: address)
    case .exchange(let address, let outcome):
      transport.respond(HTTPResponse(outcome), to: Exchange.ID(address))
    case .shard(_, let task): perform(task)
    }
  }

  private func receive(_ message: ChannelMessage, inChannel url: String) {
    switch message {
    case .command(let command, let principal, let address):
      inChannel(url, address) { $0.perform(command, by: principal, replyTo: address) }
    case .listParticipants(let limit, let token, let address):
      inChannel(url, address) { $0.listParticipants(limit: limit, token: token, address) }
    case .listMessages(let list, let principal, let address):
      inChannel(url, address) { $0.list(list, for: principal, replyTo: address) }
    case .enter(let request): admit(request, to: url)
    case .leave(let session, let userID):
      inChannel(url) { $0.leave(session, userID: userID) }
    case .profile(let user): inChannel(url) { $0.stage.handle(.profile(user)) }
    case .platform(let request): perform(request)
    case .submit(let order, let author, let address):
      submit(order, onBehalfOf: author, toChannel: url, replyTo: address)
    case .explainLimits(let userID, let address):
      explainLimits(ofUser: userID, inChannel: url, replyTo: address)
    case .create(let channel, let address): create(channel, replyTo: address)
    case .operatorsRemoved(let operators, let seq, let time):
      inChannel(url) { $0.handle(.operatorsRemoved(operators, seq: seq, at: time)) }
    case .restrictionsRemoved(let userID):
      inChannel(url) { $0.handle(.restrictionsRemoved(of: userID)) }
    case .metadata(let metadata): inChannel(url) { $0.setMetadata(metadata) }
    }
  }

  private func receive(_ message: UserMessage, ofUser id: String) {
    switch message {
    case .expect(let session):
      users.expect(session, of: id)
      send(.session(session, .expected))
    case .add(let session, let profile):
      users.add(session, of: id)
      if let profile { users.update(profile) }
    case .remove(let session): users.remove(session, of: id)
    case .enter(let request, let url): reserve(url, for: request)
    case .release(let session, let url): users.release(url, of: session, of: id)
    case .update(let user): users.update(user)
    case .expel(let reason): users.expel(id, reason: reason)
    case .revoke(let proof, let reason): users.revoke(proof, of: id, reason: reason)
    case .mention(let userIDs, let event): mention(userIDs, bySenderAtHome: id, event)
    case .notify(let event): users.send(event, to: id)
    }
  }

  private func receive(_ message: SessionMessage, inSession address: SessionAddress) {
    let session = session(address)
    switch message {
    case .expected: session?.authenticate()
    case .complete(let call, let outcome): session?.complete(call, outcome)
    case .entered(let url, let userID, let call, let result):
      didEnter(url, userID: userID, call, result: result)
    case .removed(let url): session?.wasPutOut(of: url)
    case .notify(let event): session?.send(event)
    case .profile(let user): session?.userDidChange(user)
    case .expel(let reason): session?.close(.unauthorized, reason: reason)
    case .expelOldest:
      session?.close(
        .tooManySessions, reason: "the user has opened too many sessions: this was its oldest")
    case .revoke(let proof, let reason): session?.revoke(proof, reason: reason)
    case .charge(let cost): session?.charge(cost)
    case .chargeRepetition: session?.chargeRepetition()
    }
  }

  private func perform(_ task: ShardTask) {
    switch task {
    case .deliver(let plan): deliver(plan)
    case .notify(let event, let sessions): send(event, to: sessions)
    case .renewLimits: channels.renewLimits()
    case .ask(let question, let address): answer(question, to: address)
    case .answer(let answer, let address): take(answer, to: address)
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
