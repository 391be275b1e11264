/// A call of a client: one case for each method, its parameters read and checked.
package enum Command: Sendable {
  case sessionOpen(SessionOpen)
  case sessionRefresh(SessionRefresh)
  case sessionPing
  case sessionClose
  case userGet(UserGet)
  case userUpdate(UserUpdate)

  case channelCreate(ChannelCreate)
  case channelGet(ChannelReference)
  case channelList(ChannelList)
  case channelUpdate(ChannelUpdate)
  case channelDelete(ChannelReference)
  case channelEnter(ChannelEnter)
  case channelExit(ChannelReference)
  case channelParticipants(ChannelParticipants)
  case channelFreeze(ChannelReference)
  case channelUnfreeze(ChannelReference)
  case channelMute(ChannelRestriction)
  case channelUnmute(ChannelUserReference)
  case channelBan(ChannelRestriction)
  case channelUnban(ChannelUserReference)
  case channelAddOperators(ChannelOperators)
  case channelRemoveOperators(ChannelOperators)

  case messageSend(MessageSend)
  case messageUpdate(MessageUpdate)
  case messageDelete(MessageReference)
  case messageGet(MessageReference)
  case messageList(MessageList)
  case messageCreateMetaArrayKeys(MessageMetaArrayKeys)
  case messageDeleteMetaArrayKeys(MessageMetaArrayKeys)
  case messageAddMetaArrayValues(MessageMetaArrayValues)
  case messageRemoveMetaArrayValues(MessageMetaArrayValues)
}

extension Command {
  /// The channel that the command is about, if it names one.
  package var channelURL: String? {
    switch self {
    case .sessionOpen, .sessionRefresh, .sessionPing, .sessionClose, .userGet, .userUpdate,
      .channelList:
      nil
    case .channelCreate(let command): command.channelURL
    case .channelUpdate(let command): command.channelURL
    case .channelEnter(let command): command.channelURL
    case .channelParticipants(let command): command.channelURL
    case .channelGet(let command), .channelDelete(let command), .channelExit(let command),
      .channelFreeze(let command), .channelUnfreeze(let command):
      command.channelURL
    case .channelMute(let command), .channelBan(let command): command.channelURL
    case .channelUnmute(let command), .channelUnban(let command): command.channelURL
    case .channelAddOperators(let command), .channelRemoveOperators(let command):
      command.channelURL
    case .messageSend(let command): command.channelURL
    case .messageUpdate(let command): command.reference.channelURL
    case .messageDelete(let command), .messageGet(let command): command.channelURL
    case .messageList(let command): command.channelURL
    case .messageCreateMetaArrayKeys(let command), .messageDeleteMetaArrayKeys(let command):
      command.reference.channelURL
    case .messageAddMetaArrayValues(let command), .messageRemoveMetaArrayValues(let command):
      command.reference.channelURL
    }
  }
}
