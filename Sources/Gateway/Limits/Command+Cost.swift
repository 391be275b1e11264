import ParleyProtocol

extension Command {
  /// Calls that a command costs beyond the one that each costs: the only writer of the store works for
  /// each operator that is named, ten of which make a call.
  var extraCalls: Int {
    switch self {
    case .channelCreate(let create): (create.fields.operatorIDs?.count ?? 0) / 10
    case .channelUpdate(let update): (update.fields.operatorIDs?.count ?? 0) / 10
    case .channelAddOperators(let operators), .channelRemoveOperators(let operators):
      operators.userIDs.count / 10
    case .sessionOpen, .sessionRefresh, .sessionPing, .sessionClose, .userGet, .userUpdate,
      .channelGet,
      .channelList, .channelDelete, .channelEnter, .channelExit, .channelParticipants,
      .channelFreeze, .channelUnfreeze, .channelMute, .channelUnmute, .channelBan, .channelUnban,
      .messageSend, .messageUpdate, .messageDelete, .messageGet, .messageList,
      .messageCreateMetaArrayKeys, .messageDeleteMetaArrayKeys, .messageAddMetaArrayValues,
      .messageRemoveMetaArrayValues:
      0
    }
  }
}
