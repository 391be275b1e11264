import ParleyProtocol

@testable import Channels

/// Messages between servers, and the actions of the homes.
extension SeveralStages {
  func receive(_ mail: SimulatedMail, from sender: UInt16, at server: SimulatedServer) {
    let isHeld =
      mail.isForHome
      && hold(at: server) { [unowned self] in receive(mail, from: sender, at: server) }
    if isHeld { return }
    switch mail {
    case .report(let report, let address): receive(report, address, at: server)
    case .news(let news, let attachment):
      guard server.stage != nil else {
        // Calls may be answered after the stage has gone.
        for case .answer(let address, let outcome) in news { complete(address, outcome) }
        return
      }
      handle(AttachmentInput.news(attachment, news), server)
    case .reported(let ring):
      guard ring == self.ring, server.number == homeServer, let host = server.host else { return }
      perform(host.presence.stopAwaiting(sender, at: moment), host)
    case .send(let call):
      guard server.home == server.number, let host = server.host else {
        return post(.moved(call), from: server.number, to: sender)
      }
      perform(host.handle(call.input, at: moment), host)
    case .moved(let call):
      if server.calls[call.number] != nil { server.repetitions.insert(call.number) }
    case .answer(let address, let outcome, let seq):
      guard server.isAttached else { return complete(address, outcome) }
      handle(AttachmentInput.answer(address, outcome, after: seq), server)
    }
  }

  private func receive(_ report: StageReport, _ address: StageAddress, at server: SimulatedServer) {
    guard server.home == server.number, let host = server.host else {
      return release(address, by: server)
    }
    if case .attach(let attachment) = report {
      return host.presence.attach(attachment, at: address, from: host.start)
    }
    guard host.presence.isAttached(address) else { return release(address, by: server) }
    switch report {
    case .attach, .sought, .vacant: break
    case .arrive(let piece): perform(host.presence.arrive(piece, at: address, at: moment), host)
    case .admit(let number, let principal):
      guard !host.presence.isGathering else {
        return host.presence.hold(.elsewhere(principal, number: number, address))
      }
      admit(principal.user, number, address, host)
    case .entered(let user, let session):
      if host.mayEnter(user.id, at: moment.unix) { handle(.entered(user, session), host) }
    case .left(let userID): handle(.left(userID: userID, server: address.server), host)
    case .detach: perform(host.presence.detach(address, at: moment), host)
    }
  }

  private func release(_ address: StageAddress, by server: SimulatedServer) {
    links.append(
      .news([.released], attachment: address.attachment), from: server.number,
      to: address.server)
  }

  private func admit(
    _ user: User, _ number: UInt64, _ address: StageAddress, _ host: SimulatedHome
  ) {
    let result: Result<Bool, ServiceError> =
      !host.mayEnter(user.id, at: moment.unix)
      ? .failure(.banned("lobby"))
      : .success(host.presence.isElsewhere(user.id, than: address.server))
    host.presence.answer(number, result, on: address.server)
  }

  func handle(_ input: PresenceInput, _ host: SimulatedHome) {
    perform(host.presence.handle(input, at: moment), host)
  }

  func perform(_ actions: [PresenceAction], _ host: SimulatedHome) {
    let server = servers[Int(host.server)]
    for action in actions {
      switch action {
      case .publish(let notice):
        if server.isBesideHome { handle(.notice(notice), server) }
      case .correct: break
      case .wake(let time): host.presenceTime = time
      case .readProfiles(let userIDs):
        for userID in userIDs { handle(.profile(User(id: userID)), host) }
      case .present(let userID): perform(host.handle(.entered(userID: userID), at: moment), host)
      case .absent(let userID): perform(host.handle(.left(userID: userID), at: moment), host)
      }
    }
    for applicant in host.presence.takeApplicants() {
      switch applicant {
      case .here(let request): enter(request)
      case .elsewhere(let principal, let number, let address):
        if host.presence.isAttached(address) { admit(principal.user, number, address, host) }
      }
    }
  }

  func perform(_ actions: [JudgeAction], _ host: SimulatedHome) {
    let server = servers[Int(host.server)]
    for action in actions {
      switch action {
      case .answer(.session(let address), let outcome):
        answer(address, outcome.map { $0.sentMessageID }, host)
      case .publish(let event):
        guard !host.isReleased else { continue }
        if server.isBesideHome { handle(.apply(event), server) }
        host.presence.tellAll(.event(event))
        if case .expulsion(let user) = event.subject { handle(.expelled(userID: user), host) }
      case .release: if server.host === host { release(server) }
      case _: break
      }
    }
  }

  private func answer(_ address: ReplyAddress, _ outcome: CallOutcome, _ host: SimulatedHome) {
    let (server, receiver) = (servers[Int(host.server)], address.session.server)
    if !host.isReleased, server.isBesideHome, receiver == host.server {
      handle(StageInput.answer(address, outcome), server)
    } else if !host.isReleased,
      host.presence.tell(.answer(address, outcome), server: receiver)
    {
      return
    } else {
      post(.answer(address, outcome, after: host.lastSeq), from: host.server, to: receiver)
    }
  }
}

extension JudgeAnswer {
  /// The id of the message that was sent, as a text.
  fileprivate var sentMessageID: [UInt8] {
    if case .sent(let sent) = self { Array(String(sent.shown.message.id).utf8) } else { [] }
  }
}
