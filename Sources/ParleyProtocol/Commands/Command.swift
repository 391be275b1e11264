/// A call of a client: one case for each method, its parameters read and checked.
package enum Command: Sendable {
  case sessionOpen(SessionOpen)
  case sessionObserve(SessionObserve)
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

  case fileCreate(FileCreate)
  case fileGet(FileReference)
  case fileList(FileList)
  case fileCancel(FileReference)

  case previewFetch(PreviewFetch)
  case previewCancel(PreviewCancel)

  case messageSend(MessageSend)
  case messageSendFiles(MessageSendFiles)
  case messageUpdate(MessageUpdate)
  case messageDelete(MessageReference)
  case messageGet(MessageReference)
  case messageTranslate(MessageTranslate)
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
    case .sessionOpen, .sessionObserve, .sessionRefresh, .sessionPing, .sessionClose, .userGet,
      .userUpdate, .channelList, .fileCreate, .fileGet, .fileList, .fileCancel, .previewFetch,
      .previewCancel:
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
    case .messageSendFiles(let command): command.channelURL
    case .messageUpdate(let command): command.reference.channelURL
    case .messageDelete(let command), .messageGet(let command): command.channelURL
    case .messageTranslate(let command): command.reference.channelURL
    case .messageList(let command): command.channelURL
    case .messageCreateMetaArrayKeys(let command), .messageDeleteMetaArrayKeys(let command):
      command.reference.channelURL
    case .messageAddMetaArrayValues(let command), .messageRemoveMetaArrayValues(let command):
      command.reference.channelURL
    }
  }
}

extension Command {
  /// Reads a request.
  ///
  /// - Throws: ``ErrorCode/methodNotFound``, then ``ErrorCode/invalidParams``, then one of 400100
  ///   to 400151, 400203 or 400305 that names the parameter. What is wrong with a message to be
  ///   sent is kept in ``MessageSend/draft`` instead, because other refusals go before it.
  package init(
    method: String, params: JSONNode?, limits: CustomDataLimits = CustomDataLimits()
  ) throws(ServiceError) {
    guard let read = Self.methods[method] else { throw .noSuchMethod(method) }
    self = try read(Fields(params, limits: limits))
  }

  /// The names of all methods.
  package static var methodNames: [String] { methods.keys.sorted() }

  private typealias Reader = @Sendable (Fields) throws(ServiceError) -> Command

  private static let methods: [String: Reader] =
    sessionMethods.merging(channelMethods) { $1 }.merging(moderationMethods) { $1 }
    .merging(messageMethods) { $1 }.merging(fileMethods) { $1 }.merging(previewMethods) { $1 }

  private static let sessionMethods: [String: Reader] = [
    "session.open": { p throws(ServiceError) in
      if let observe = try SessionObserve(p) { return .sessionObserve(observe) }
      return .sessionOpen(try .init(p))
    },
    "session.refresh": { p throws(ServiceError) in .sessionRefresh(try .init(p)) },
    "session.ping": { _ throws(ServiceError) in .sessionPing },
    "session.close": { _ throws(ServiceError) in .sessionClose },
    "user.get": { p throws(ServiceError) in .userGet(try .init(p)) },
    "user.update": { p throws(ServiceError) in .userUpdate(try .init(p)) },
  ]

  private static let channelMethods: [String: Reader] = [
    "channel.create": { p throws(ServiceError) in .channelCreate(try .init(p)) },
    "channel.get": { p throws(ServiceError) in .channelGet(try .init(p)) },
    "channel.list": { p throws(ServiceError) in .channelList(try .init(p)) },
    "channel.update": { p throws(ServiceError) in .channelUpdate(try .init(p)) },
    "channel.delete": { p throws(ServiceError) in .channelDelete(try .init(p)) },
    "channel.enter": { p throws(ServiceError) in .channelEnter(try .init(p)) },
    "channel.exit": { p throws(ServiceError) in .channelExit(try .init(p)) },
    "channel.participants": { p throws(ServiceError) in .channelParticipants(try .init(p)) },
  ]

  private static let moderationMethods: [String: Reader] = [
    "channel.freeze": { p throws(ServiceError) in .channelFreeze(try .init(p)) },
    "channel.unfreeze": { p throws(ServiceError) in .channelUnfreeze(try .init(p)) },
    "channel.mute": { p throws(ServiceError) in .channelMute(try .mute(p)) },
    "channel.unmute": { p throws(ServiceError) in .channelUnmute(try .init(p)) },
    "channel.ban": { p throws(ServiceError) in .channelBan(try .ban(p)) },
    "channel.unban": { p throws(ServiceError) in .channelUnban(try .init(p)) },
    "channel.add_operators": { p throws(ServiceError) in .channelAddOperators(try .init(p)) },
    "channel.remove_operators": { p throws(ServiceError) in
      .channelRemoveOperators(try .init(p))
    },
  ]

  private static let fileMethods: [String: Reader] = [
    "file.create": { p throws(ServiceError) in .fileCreate(try .init(p)) },
    "file.get": { p throws(ServiceError) in .fileGet(try .init(p)) },
    "file.list": { p throws(ServiceError) in .fileList(try .init(p)) },
    "file.cancel": { p throws(ServiceError) in .fileCancel(try .init(p)) },
  ]

  private static let previewMethods: [String: Reader] = [
    "preview.fetch": { p throws(ServiceError) in .previewFetch(try .init(p)) },
    "preview.cancel": { p throws(ServiceError) in .previewCancel(try .init(p)) },
  ]

  private static let messageMethods: [String: Reader] = [
    "message.send": { p throws(ServiceError) in .messageSend(try .init(p)) },
    "message.send_files": { p throws(ServiceError) in .messageSendFiles(try .init(p)) },
    "message.update": { p throws(ServiceError) in .messageUpdate(try .init(p)) },
    "message.delete": { p throws(ServiceError) in .messageDelete(try .init(p)) },
    "message.get": { p throws(ServiceError) in .messageGet(try .init(p)) },
    "message.list": { p throws(ServiceError) in .messageList(try .init(p)) },
    "message.translate": { p throws(ServiceError) in .messageTranslate(try .init(p)) },
    "message.create_metaarray_keys": { p throws(ServiceError) in
      .messageCreateMetaArrayKeys(try .init(p, within: p.limits.metaArrays))
    },
    "message.delete_metaarray_keys": { p throws(ServiceError) in
      .messageDeleteMetaArrayKeys(try .init(p, within: .most))
    },
    "message.add_metaarray_values": { p throws(ServiceError) in
      .messageAddMetaArrayValues(try .init(p, within: p.limits.metaArrays))
    },
    "message.remove_metaarray_values": { p throws(ServiceError) in
      .messageRemoveMetaArrayValues(try .init(p, within: .most))
    },
  ]
}
