import Store
import Channels
import ParleyProtocol
import Reactor
import WebSocket

extension Session {
  /// Carries a request out; its outcome comes to ``complete(_:_:)`` sooner or later.
  func perform(_ request: RPCRequest, _ address: ReplyAddress) {
    do throws(ServiceError) {
      try checkOrder(of: request)
      let command = try Command(method: request.method, params: request.params)
      switch command {
      case .sessionOpen(let open): self.open(open, address)
      case .sessionRefresh(let refresh): self.refresh(refresh, address)
      case .sessionPing: ping(address)
      case .sessionClose: end(address)
      case .userGet(let get):
        _ = try charged(command)
        self.get(get, address)
      case .userUpdate(let update): self.update(update, try charged(command), address)
      case .channelCreate(let create): self.create(create, try charged(command), address)
      case .channelList(let list): self.list(list, try charged(command), address)
      case .channelEnter(let enter): self.enter(enter, try charged(command), address)
      case .channelExit(let exit): try self.exit(exit.channelURL, try charged(command), address)
      case .channelParticipants(let list):
        _ = try charged(command)
        inChannel(list.channelURL, address) { $0.listParticipants(list, replyTo: address) }
      case .messageList(let list):
        let caller = try charged(command)
        inChannel(list.channelURL, address) { $0.list(list, for: caller, replyTo: address) }
      case .channelGet, .channelUpdate, .channelDelete, .channelFreeze, .channelUnfreeze,
        .channelMute, .channelUnmute, .channelBan, .channelUnban, .channelAddOperators,
        .channelRemoveOperators, .messageSend, .messageUpdate, .messageDelete, .messageGet,
        .messageCreateMetaArrayKeys, .messageDeleteMetaArrayKeys, .messageAddMetaArrayValues,
        .messageRemoveMetaArrayValues:
        try performInChannel(command, address)
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
    case .opening, .open:
      guard request.method != "session.open" else {
        throw .invalidRequest("the session is open already")
      }
    case .awaitingOpen, .closed: break
    }
  }

  /// Charges the session for a command.
  ///
  /// - Returns: The caller.
  /// - Throws: −32600 before the session is open.
  private func charged(_ command: Command) throws(ServiceError) -> SessionPrincipal {
    guard let caller else { throw .invalidRequest("the session is not open") }
    charge(command)
    return caller
  }

  /// Gives a command to the channel that it names.
  private func performInChannel(
    _ command: Command, _ address: ReplyAddress
  ) throws(ServiceError) {
    let caller = try charged(command)
    guard let url = command.channelURL,
      let channelCommand = ChannelCommand(
        command, arrival: SystemClock.monotonicNanoseconds)
    else { throw .internalError }
    inChannel(url, address) { $0.perform(channelCommand, by: caller, replyTo: address) }
  }

  /// Runs a job with a channel where it is at home, if there is such a channel.
  private func inChannel(
    _ url: String, _ address: ReplyAddress, _ body: @escaping @Sendable (ChannelHost) -> Void
  ) {
    shard.post(toChannel: url) { shard in
      shard.channels.withChannel(url) { result in
        switch result {
        case .success(let channel): body(channel)
        case .failure(let error): shard.reply(to: address, .failure(error))
        }
      }
    }
  }

  private func ping(_ address: ReplyAddress) {
    let now = shard.services.clock.now
    reply(.success(JSONWriter.bytes { $0.object { $0.member("time", now) } }), to: address)
  }

  private func end(_ address: ReplyAddress) {
    reply(.empty, to: address)
    closeWhenAnswered(.normalClosure, reason: "")
  }
}

extension ChannelHost {
  fileprivate func listParticipants(
    _ command: ChannelParticipants, replyTo address: ReplyAddress
  ) {
    let outcome: CallOutcome
    do throws(ServiceError) {
      outcome = .success(try participantPage(limit: command.limit, token: command.token).encoded())
    } catch {
      outcome = .failure(error)
    }
    stage.handle(.answer(address, outcome))
  }

  fileprivate func list(
    _ command: MessageList, for caller: SessionPrincipal, replyTo address: ReplyAddress
  ) {
    messages(command, .profiles, for: .session(caller), as: ListedMessageEncoder()) {
      channel, result in
      channel.stage.handle(.answer(address, result))
    }
  }
}

/// Encodes messages as clients see them.
private struct ListedMessageEncoder: PageEncoder {
  func encode(_ item: ListedMessage) -> PageItem<[UInt8]> {
    PageItem(json: item.message.encoded())
  }
}
