import Channels
import ParleyProtocol

extension ChannelCommand {
  /// The command that a channel's judge carries out for a session; `nil` for commands that are
  /// carried out elsewhere.
  ///
  /// - Parameter arrival: Nanoseconds of the monotonic clock.
  init?(_ command: consuming Command, arrival: Int64) {
    switch command {
    case .sessionOpen, .sessionObserve, .sessionRefresh, .sessionPing, .sessionClose, .userGet,
      .userUpdate,
      .channelCreate, .channelList, .channelEnter, .channelExit, .channelParticipants,
      .messageList, .messageSendFiles, .fileCreate, .fileGet, .fileList, .fileCancel,
      .previewFetch, .previewCancel:
      return nil
    case .channelGet: self = .view
    case .channelUpdate(let update): self = .update(update.fields)
    case .channelDelete: self = .delete
    case .channelFreeze: self = .freeze
    case .channelUnfreeze: self = .unfreeze
    case .channelMute(let mute): self = .mute(mute)
    case .channelUnmute(let user): self = .unmute(userID: user.userID)
    case .channelBan(let ban): self = .ban(ban)
    case .channelUnban(let user): self = .unban(userID: user.userID)
    case .channelAddOperators(let add): self = .addOperators(add.userIDs)
    case .channelRemoveOperators(let remove): self = .removeOperators(remove.userIDs)
    case .messageSend(let send):
      self = .send(MessageOrder(send.draft, requestID: send.requestID, arrival: arrival))
    case .messageUpdate(let update):
      self = .updateMessage(update.reference.messageID, update.changes)
    case .messageDelete(let message): self = .deleteMessage(message.messageID)
    case .messageGet(let message): self = .viewMessage(message.messageID)
    case .messageTranslate(let translate):
      self = .translateMessage(translate.reference.messageID, into: translate.languages)
    case .messageCreateMetaArrayKeys(let create):
      self = .changeMetaArrays(ofMessage: create.reference.messageID, .createKeys(create.keys))
    case .messageDeleteMetaArrayKeys(let delete):
      self = .changeMetaArrays(ofMessage: delete.reference.messageID, .deleteKeys(delete.keys))
    case .messageAddMetaArrayValues(let add):
      self = .changeMetaArrays(ofMessage: add.reference.messageID, .addValues(add.values))
    case .messageRemoveMetaArrayValues(let remove):
      self = .changeMetaArrays(ofMessage: remove.reference.messageID, .removeValues(remove.values))
    }
  }
}

extension JudgeAnswer {
  /// The result of a session's call.
  func encodedAsResult() -> [UInt8] {
    switch self {
    case .done, .imposed, .lifted: Array("{}".utf8)
    case .channel(let info): info.encodedAsResult()
    case .sent(let sent): sent.encodedAsResult()
    case .changed(let changed): Self.result(message: changed.json)
    case .message(let message): Self.result(message: message.encoded())
    }
  }

  private static func result(message: [UInt8]) -> [UInt8] {
    JSONWriter.bytes(reserving: message.count + 16) { writer in
      writer.object { $0.member("message", raw: message) }
    }
  }
}

extension SentMessage {
  /// The result of `message.send`.
  fileprivate func encodedAsResult() -> [UInt8] {
    let message = shown.json
    return JSONWriter.bytes(reserving: message.count + 48) {
      $0.object {
        $0.member("message", raw: message)
        $0.member("seq", seq)
      }
    }
  }
}
