import Channels
import ParleyProtocol
import Store

/// The socket's door to a channel: commands in, JSON-RPC results out.
extension HomeChannel {
  /// Carries out what is asked of a channel that is there.
  func perform(_ command: Command, by caller: SessionPrincipal, replyTo address: ReplyAddress) {
    let actor = Principal.session(caller)
    switch command {
    case .channelGet: reply(.success(view.encodedAsResult()), to: address)
    case .channelUpdate(let update):
      self.update(update.fields, by: actor, then: channelReply(to: address))
    case .channelDelete: delete(by: actor, then: emptyReply(to: address))
    case .channelParticipants(let list): listParticipants(list, replyTo: address)
    case .channelFreeze: freeze(by: actor, then: channelReply(to: address))
    case .channelUnfreeze: unfreeze(by: actor, then: channelReply(to: address))
    case .channelMute(let mute): self.mute(mute, by: actor, then: emptyReply(to: address))
    case .channelUnmute(let user): unmute(user.userID, by: actor, then: emptyReply(to: address))
    case .channelBan(let ban): self.ban(ban, by: actor, then: emptyReply(to: address))
    case .channelUnban(let user): unban(user.userID, by: actor, then: emptyReply(to: address))
    case .channelAddOperators(let add):
      addOperators(add.userIDs, by: actor, then: channelReply(to: address))
    case .channelRemoveOperators(let remove):
      removeOperators(remove.userIDs, by: actor, then: channelReply(to: address))
    default: performOnMessages(command, by: actor, replyTo: address)
    }
  }

  private func performOnMessages(
    _ command: Command, by actor: Principal, replyTo address: ReplyAddress
  ) {
    switch command {
    case .messageSend(let send):
      self.send(send.draft, requestID: send.requestID, by: actor) { channel, result in
        if case .success(let sent) = result, sent.arrival == .repeated {
          channel.node.chargeRepetition(to: address)
        }
        channel.reply(result.map { $0.encodedAsResult() }, to: address)
      }
    case .messageUpdate(let update):
      self.update(
        update.reference.messageID, update.changes, by: actor, then: changeReply(to: address))
    case .messageDelete(let message):
      delete(message.messageID, by: actor, then: emptyReply(to: address))
    case .messageGet(let message):
      self.message(message.messageID, then: messageReply(to: address))
    case .messageList(let list):
      guard case .session(let caller) = actor else { break }
      messages(list, for: .session(caller)) {
        $1.encoded()
      } then: { channel, result in
        channel.reply(result, to: address)
      }
    default: performOnMetaArrays(command, by: actor, replyTo: address)
    }
  }

  private func performOnMetaArrays(
    _ command: Command, by actor: Principal, replyTo address: ReplyAddress
  ) {
    let answer = changeReply(to: address)
    switch command {
    case .messageCreateMetaArrayKeys(let create):
      changeMetaArrayKeys(
        of: create.reference.messageID, by: actor,
        { arrays throws(ServiceError) in try arrays.creating(keys: create.keys) }, then: answer)
    case .messageDeleteMetaArrayKeys(let delete):
      changeMetaArrayKeys(
        of: delete.reference.messageID, by: actor,
        { arrays throws(ServiceError) in arrays.deleting(keys: delete.keys) }, then: answer)
    case .messageAddMetaArrayValues(let add):
      changeMetaArrayValues(
        of: add.reference.messageID, by: actor,
        { arrays throws(ServiceError) in try arrays.adding(add.values) }, then: answer)
    case .messageRemoveMetaArrayValues(let remove):
      changeMetaArrayValues(
        of: remove.reference.messageID, by: actor,
        { arrays throws(ServiceError) in arrays.removing(remove.values) }, then: answer)
    default: reply(.failure(.internalError), to: address)
    }
  }

  private func listParticipants(_ command: ChannelParticipants, replyTo address: ReplyAddress) {
    do throws(ServiceError) {
      let page = try participantPage(limit: command.limit, token: command.token)
      reply(.success(page.encoded()), to: address)
    } catch {
      reply(.failure(error), to: address)
    }
  }

  private func channelReply(to address: ReplyAddress) -> Answer<ChannelView> {
    { channel, result in channel.reply(result.map { $0.encodedAsResult() }, to: address) }
  }

  private func messageReply(to address: ReplyAddress) -> Answer<Message> {
    { channel, result in channel.reply(result.map { $0.encodedAsResult() }, to: address) }
  }

  private func changeReply(to address: ReplyAddress) -> Answer<ChangedMessage> {
    { channel, result in channel.reply(result.map { $0.encodedAsResult() }, to: address) }
  }

  /// Replies `{}`, whatever the operation had to say.
  private func emptyReply<Value>(to address: ReplyAddress) -> Answer<Value> {
    { channel, result in channel.reply(result.flatMap { _ in .empty }, to: address) }
  }
}

extension SentMessage {
  /// The result of `message.send`.
  func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes(reserving: encoded.count + 48) {
      $0.object {
        $0.member("message", raw: encoded)
        $0.member("seq", seq)
      }
    }
  }
}

extension ChangedMessage {
  /// The result of a call: `{"message": …}`.
  fileprivate func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes(reserving: encoded.count + 16) { writer in
      writer.object { $0.member("message", raw: encoded) }
    }
  }
}

extension Message {
  /// The result of a call: `{"message": …}`.
  fileprivate func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("message")
        encode(into: &$0)
      }
    }
  }
}

extension ParticipantPage {
  fileprivate func encoded() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("participants")
        users.encodeReferences(into: &$0)
        $0.member("next", next)
      }
    }
  }
}
