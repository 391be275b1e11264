import Store
import Channels
import Configuration
import ParleyProtocol
import Reactor
import HTTP

extension Session {
  /// Executes a request.
  ///
  /// Its outcome is eventually passed to ``complete(_:_:)``.
  func perform(_ request: RPCRequest, _ address: ReplyAddress) {
    do throws(ServiceError) {
      try checkOrder(of: request)
      if case .observing(let observer) = state {
        return try perform(request, by: observer, address)
      }
      let command = try Command(
        method: request.method, params: request.params,
        limits: shard.settings.limits.customData, arrival: SystemClock.monotonicNanoseconds)
      let price = command.extraCalls
      totals?.follow(command, address.ticket)
      // Moved, since commands are large.
      switch consume command {
      case .sessionOpen(let open): self.open(open, address)
      case .sessionObserve(let observe): openObserver(observe, address)
      case .sessionRefresh(let refresh): self.refresh(refresh, address)
      case .sessionPing: ping(address)
      case .sessionClose(let unregistersPush): end(unregistersPush: unregistersPush, address)
      case .sessionBackground(let isOn): setBackground(isOn, try charged(price), address)
      case .userGet(let get):
        _ = try charged(price)
        self.get(get, address)
      case .userUpdate(let update):
        let caller = try charged(price)
        withPicture(update.profileFileID, as: \.profileURL, of: update, caller, address) {
          $0.update($1, caller, address)
        }
      case .userPreferences(let preferences):
        try prefer(preferences, try charged(price), address)
      case .userBlock(let userID): try block(userID, try charged(price), address)
      case .userUnblock(let userID): try unblock(userID, try charged(price), address)
      case .userBlocked(let list): listBlocked(list, try charged(price), address)
      case .pushRegister(let registration):
        try register(registration, try charged(price), address)
      case .pushUnregister(let call): try unregister(call, try charged(price), address)
      case .pushTokens: try listPushTokens(try charged(price), address)
      case .pushPreferences(let change): try prefer(change, try charged(price), address)
      case .channelCreate(let create):
        let caller = try charged(price)
        withPicture(create.coverFileID, as: \.fields.coverURL, of: create, caller, address) {
          $0.create($1, caller, address)
        }
      case .channelUpdate(let update):
        let caller = try charged(price)
        withPicture(update.coverFileID, as: \.fields.coverURL, of: update, caller, address) {
          let message = ChannelMessage.command(
            .operation(.update($1.fields)), by: caller, replyTo: address)
          $0.shard.send(.channel(url: $1.channelURL, message))
        }
      case .channelList(let list): self.list(list, try charged(price), address)
      case .channelEnter(let enter): self.enter(enter, try charged(price), address)
      case .channelExit(let url): try self.exit(url, try charged(price), address)
      case .channelParticipants(let list):
        let message = ChannelMessage.listParticipants(
          limit: list.limit, token: list.token, for: try charged(price), replyTo: address)
        shard.send(.channel(url: list.channelURL, message))
      case .groupCreate(let create):
        let caller = try charged(price)
        withPicture(create.coverFileID, as: \.fields.coverURL, of: create, caller, address) {
          $0.createGroup($1, caller, address)
        }
      case .groupUpdate(let update):
        let caller = try charged(price)
        withPicture(update.coverFileID, as: \.fields.coverURL, of: update, caller, address) {
          let message = ChannelMessage.command(
            .group(.update($1.fields)), by: caller, replyTo: address)
          $0.shard.send(.channel(url: $1.channelURL, message))
        }
      case .groupMembers(let list):
        let caller = try charged(price)
        shard.send(
          .channel(url: list.channelURL, .listMembers(list, for: caller, replyTo: address)))
      case .groupList(let list): try self.listGroups(list, try charged(price), address)
      case .groupUnread(let totals): try self.total(totals, try charged(price), address)
      case .groupWatchTotals(let isOn):
        try watchTotals(isOn, try charged(price), address)
      case .groupChanges(let list): try self.listChanges(list, try charged(price), address)
      case .groupRecover(let groups): try recover(groups, try charged(0), address)
      case .groupsMarkRead(let groups): try markRead(groups, try charged(price), address)
      case .groupsMarkDelivered(let groups):
        markDelivered(groups, try charged(price), address)
      case .messageList(let list):
        let caller = try charged(price)
        shard.send(
          .channel(url: list.channelURL, .listMessages(list, for: caller, replyTo: address)))
      case .messageChanges(let list):
        let caller = try charged(price)
        try list.changes.requireKept(at: shard.services.clock.now)
        shard.send(
          .channel(url: list.channelURL, .listChanges(list, for: caller, replyTo: address)))
      case .report(let draft):
        let caller = try charged(price)
        try shard.services.reports.admit(caller.user.id, at: SystemClock.monotonicMilliseconds)
        shard.send(
          .channel(url: draft.channelURL, .complain(draft, by: caller, replyTo: address)))
      case .messageSearch(let search): try self.search(search, try charged(price), address)
      case .fileCreate(let create): self.create(create, try charged(price), address)
      case .fileGet(let file): self.view(file, try charged(price), address)
      case .fileList(let list): self.list(list, try charged(price), address)
      case .fileCancel(let file): self.cancel(file, try charged(price), address)
      case .previewFetch(let fetch): try self.fetch(fetch, try charged(price), address)
      case .previewCancel(let cancel):
        _ = try charged(price)
        self.cancel(cancel, address)
      case .messageSendFiles(let files): self.send(files, try charged(price), address)
      case .channel(let url, .send(let order)):
        try send(order, in: url, try charged(price), address)
      case .channel(let url, let channelCommand):
        let caller = try charged(price)
        if case .translateMessage = channelCommand { try admitTranslation(by: caller) }
        if case .group(.change(.invite(let ids))) = channelCommand {
          try shard.services.groupRates.admitInvitations(
            ids.count, by: caller.user.id, at: SystemClock.monotonicMilliseconds)
        }
        shard.send(
          .channel(url: url, .command(channelCommand, by: caller, replyTo: address)))
      }
    } catch {
      reply(.failure(error), to: address)
    }
  }

  /// Replies in the next round of this turn, never within the call itself.
  func reply(_ outcome: CallOutcome, to address: ReplyAddress) {
    shard.reply(to: address, outcome)
  }

  private func checkOrder(of request: RPCRequest) throws(ServiceError) {
    switch state {
    case .awaitingOpen where request.method != "session.open":
      throw .invalidRequest("session.open must be the first request")
    case .asking, .opening, .open, .openingObserver, .observing:
      guard request.method != "session.open" else {
        throw .invalidRequest("the session is open already")
      }
    case .awaitingOpen, .closed: break
    }
  }

  /// Charges the session for a command that costs more than other calls.
  ///
  /// - Parameter price: The number of calls that it costs beyond its own.
  /// - Returns: The caller.
  /// - Throws: −32600 before the session is open.
  private func charged(_ price: Int) throws(ServiceError) -> SessionPrincipal {
    guard let caller else { throw .invalidRequest("the session is not open") }
    if price > 0 { charge(calls: price) }
    return caller
  }

  /// Sends a message, with its previously uploaded file if it has one.
  ///
  /// - Throws: 900200 when the user has sent too many messages to all channels together.
  private func send(
    _ order: MessageOrder, in url: String, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    guard order.fileID == nil else { return sendFile(order, in: url, caller, address) }
    try shard.submit(order, to: url, by: caller, of: self, address)
    if shard.asksAboutSends || order.mayWait && shard.services.translator != nil {
      passAsItStarts(address, in: url)
    } else {
      passIfBehindAnother(address, in: url)
    }
  }

  /// - Throws: 500910 when the user's rate of translations is exceeded.
  private func admitTranslation(by caller: SessionPrincipal) throws(ServiceError) {
    let wait = shard.services.translationRates.admit(
      caller.user.id, at: SystemClock.monotonicMilliseconds)
    guard let wait else { return }
    throw .rateLimited(
      retryAfter: wait, limit: shard.settings.limits.translationsPerSecond, window: 1_000,
      scope: "user")
  }

  func ping(_ address: ReplyAddress) {
    let now = shard.services.clock.now
    reply(.success(JSONWriter.bytes { $0.object { $0.member("time", now) } }), to: address)
  }

  func end(_ address: ReplyAddress) {
    reply(.empty, to: address)
    closeWhenAnswered(.normalClosure, reason: "")
  }
}

extension ChannelHost {
  /// Answers a session with a page of the participants.
  func listParticipants(
    limit: Int, token: String?, for caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    let outcome: CallOutcome
    do throws(ServiceError) {
      try requireOpenChannel(.session(caller))
      outcome = .success(try participantPage(limit: limit, token: token).encoded())
    } catch {
      outcome = .failure(error)
    }
    reply(to: address, outcome)
  }

  /// Answers a session with a range of messages.
  func list(
    _ command: MessageList, for caller: SessionPrincipal, replyTo address: ReplyAddress
  ) {
    do throws(ServiceError) {
      let visibleFrom = try requireReading(.session(caller))
      messages(
        command, .profiles, visibleFrom: visibleFrom, for: .session(caller),
        as: ListedMessageEncoder()
      ) { channel, result in
        channel.afterWrites { $0.reply(to: address, result) }
      }
    } catch {
      reply(to: address, .failure(error))
    }
  }

  /// Answers a session with the messages that have changed.
  func listChanges(
    _ command: MessageChangeList, for caller: SessionPrincipal, replyTo address: ReplyAddress
  ) {
    do throws(ServiceError) {
      let visibleFrom = try requireReading(.session(caller))
      try requireKeptMessages()
      let changes = ChangedMessages(
        in: place.id, seenBy: caller.user.id, command.changes, visibleFrom: visibleFrom,
        at: shard.services.clock.now, as: ListedMessageEncoder())
      perform(changes, for: .session(caller), { $0.encoded() }) { channel, result in
        channel.afterWrites { $0.reply(to: address, result) }
      }
    } catch {
      reply(to: address, .failure(error))
    }
  }
}

/// Encodes messages as clients see them.
private struct ListedMessageEncoder: PageEncoder {
  func encode(_ item: ListedMessage) -> PageItem<[UInt8]> {
    PageItem(json: item.message.encoded())
  }
}
