import ParleyProtocol
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
      default: try carryOut(command, address)
      }
    } catch {
      reply(.failure(error), to: address)
    }
  }

  /// Replies in the next round of this turn, never within the call itself.
  func reply(_ outcome: CallOutcome, to address: ReplyAddress) {
    node.reply(to: address, outcome)
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

  private func carryOut(_ command: Command, _ address: ReplyAddress) throws(ServiceError) {
    guard let caller else { throw .invalidRequest("the session is not open") }
    switch command {
    case .userUpdate(let update): self.update(update, caller, address)
    case .channelCreate(let create): self.create(create, caller, address)
    case .channelList(let list): self.list(list, address)
    case .channelEnter(let enter): self.enter(enter, caller, address)
    case .channelExit(let exit): try self.exit(exit.channelURL, caller, address)
    default:
      guard let url = command.channelURL else { throw .noSuchMethod("") }
      node.post(toChannel: url) { node in
        node.channels.withChannel(url) { result in
          switch result {
          case .success(let channel): channel.perform(command, by: caller, replyTo: address)
          case .failure(let error): node.reply(to: address, .failure(error))
          }
        }
      }
    }
  }

  private func ping(_ address: ReplyAddress) {
    let now = node.services.clock.now
    reply(.success(JSONWriter.bytes { $0.object { $0.member("time", now) } }), to: address)
  }

  private func end(_ address: ReplyAddress) {
    reply(.empty, to: address)
    closeWhenAnswered(.normalClosure, reason: "")
  }
}

extension HomeChannel {
  /// Carries out what is asked of a channel that is there.
  func perform(_ command: Command, by caller: Caller, replyTo address: ReplyAddress) {
    switch command {
    case .channelGet: get(replyTo: address)
    case .channelUpdate(let update): self.update(update, by: caller, replyTo: address)
    case .channelDelete: delete(by: caller, replyTo: address)
    case .channelParticipants(let list): listParticipants(list, replyTo: address)
    case .channelFreeze: freeze(by: caller, replyTo: address)
    case .channelUnfreeze: unfreeze(by: caller, replyTo: address)
    case .channelMute(let mute): self.mute(mute, by: caller, replyTo: address)
    case .channelUnmute(let user): unmute(user, by: caller, replyTo: address)
    case .channelBan(let ban): self.ban(ban, by: caller, replyTo: address)
    case .channelUnban(let user): unban(user, by: caller, replyTo: address)
    case .channelAddOperators(let add): addOperators(add.userIDs, by: caller, replyTo: address)
    case .channelRemoveOperators(let remove):
      removeOperators(remove.userIDs, by: caller, replyTo: address)
    case .messageSend(let send): self.send(send, from: caller, replyTo: address)
    case .messageUpdate(let update): self.update(update, by: caller, replyTo: address)
    case .messageDelete(let message): delete(message, by: caller, replyTo: address)
    case .messageGet(let message): get(message, replyTo: address)
    case .messageList(let list): self.list(list, replyTo: address)
    default: performMetaArrays(command, by: caller, replyTo: address)
    }
  }

  private func performMetaArrays(
    _ command: Command, by caller: Caller, replyTo address: ReplyAddress
  ) {
    switch command {
    case .messageCreateMetaArrayKeys(let create):
      changeMetaArrays(of: create.reference.messageID, by: caller, replyTo: address) {
        arrays throws(ServiceError) in try arrays.creating(keys: create.keys)
      }
    case .messageDeleteMetaArrayKeys(let delete):
      changeMetaArrays(of: delete.reference.messageID, by: caller, replyTo: address) {
        arrays throws(ServiceError) in arrays.deleting(keys: delete.keys)
      }
    case .messageAddMetaArrayValues(let add):
      changeMetaArrays(of: add.reference.messageID, by: caller, replyTo: address) {
        arrays throws(ServiceError) in try arrays.adding(add.values)
      }
    case .messageRemoveMetaArrayValues(let remove):
      changeMetaArrays(of: remove.reference.messageID, by: caller, replyTo: address) {
        arrays throws(ServiceError) in arrays.removing(remove.values)
      }
    default: reply(.failure(.internalError), to: address)
    }
  }
}
