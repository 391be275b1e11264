/// A client's call whose parameters were read and checked.
package enum Command: Sendable {
  case sessionOpen(SessionOpen)
  case sessionObserve(SessionObserve)
  case sessionRefresh(SessionRefresh)
  case sessionPing
  case sessionClose(unregistersPush: Bool)
  /// Whether the session keeps pushes away from its user.
  case sessionBackground(Bool)
  case userGet(UserGet)
  case userUpdate(UserUpdate)
  case userPreferences(UserPreferences)
  case userBlock(userID: String)
  case userUnblock(userID: String)
  case userBlocked(BlockedUsers)

  case pushRegister(PushRegister)
  case pushUnregister(PushUnregister)
  case pushTokens
  case pushPreferences(PushPreferencesChange)

  /// A command for the judge of a channel.
  case channel(url: String, ChannelCommand)
  case channelCreate(ChannelCreate)
  case channelList(ChannelList)
  case channelUpdate(ChannelUpdate)
  case channelEnter(ChannelEnter)
  case channelExit(url: String)
  case channelParticipants(ChannelParticipants)

  case groupCreate(GroupCreate)
  case groupUpdate(GroupUpdate)
  case groupMembers(GroupMembers)
  case groupList(GroupList)
  case groupUnread(GroupTotals)
  case groupWatchTotals(Bool)
  case groupChanges(ChangeList)
  case groupRecover(GroupRecover)
  case groupsMarkRead(GroupsMarkRead)
  case groupsMarkDelivered(GroupsMarkDelivered)

  case fileCreate(FileCreate)
  case fileGet(FileReference)
  case fileList(FileList)
  case fileCancel(FileReference)

  case previewFetch(PreviewFetch)
  case previewCancel(PreviewCancel)

  case messageSendFiles(MessageSendFiles)
  case messageList(MessageList)
  case messageChanges(MessageChangeList)
  case messageSearch(MessageSearch)

  case report(AbuseReportDraft)
}

extension Command {
  /// Parses a request.
  ///
  /// - Throws: ``ErrorCode/methodNotFound``, then ``ErrorCode/invalidParams``, then one of 400100 to
  ///   400151, 400203 or 400305 that names the parameter. An error in a message to be sent is stored in
  ///   ``MessageOrder/draft`` instead, because other refusals take precedence.
  package init(
    method: String, params: JSONNode?, limits: CustomDataLimits = CustomDataLimits(),
    arrival: Int64 = 0
  ) throws(ServiceError) {
    if let read = ChannelCommand.readers[method] {
      let fields = try Fields(params, limits: limits, arrival: arrival)
      self = .channel(url: try fields.channelURL(), try read(fields))
    } else if let read = Self.methods[method] {
      self = try read(Fields(params, limits: limits, arrival: arrival))
    } else {
      throw .noSuchMethod(method)
    }
  }

  /// The names of all methods.
  package static var methodNames: [String] {
    (Array(methods.keys) + ChannelCommand.readers.keys).sorted()
  }

  private typealias Reader = FieldsReader<Command>

  private static let methods: [String: Reader] =
    sessionMethods.merging(channelMethods) { $1 }.merging(groupMethods) { $1 }
    .merging(messageMethods) { $1 }.merging(reportMethods) { $1 }
    .merging(fileMethods) { $1 }.merging(previewMethods) { $1 }.merging(pushMethods) { $1 }

  private static let sessionMethods: [String: Reader] = [
    "session.open": .init { p throws(ServiceError) in
      if let observe = try SessionObserve(p) { return .sessionObserve(observe) }
      return .sessionOpen(try .init(p))
    },
    "session.refresh": .init { p throws(ServiceError) in .sessionRefresh(try .init(p)) },
    "session.ping": .init { _ throws(ServiceError) in .sessionPing },
    "session.close": .init { p throws(ServiceError) in
      .sessionClose(unregistersPush: try p.boolean("unregister") ?? false)
    },
    "session.background": .init { p throws(ServiceError) in
      guard let isOn = try p.boolean("on") else { throw .missing("on") }
      return .sessionBackground(isOn)
    },
    "user.get": .init { p throws(ServiceError) in .userGet(try .init(p)) },
    "user.update": .init { p throws(ServiceError) in .userUpdate(try .init(p)) },
    "user.preferences": .init { p throws(ServiceError) in .userPreferences(try .init(p)) },
    "user.block": .init { p throws(ServiceError) in .userBlock(userID: try p.userID()) },
    "user.unblock": .init { p throws(ServiceError) in .userUnblock(userID: try p.userID()) },
    "user.blocked": .init { p throws(ServiceError) in .userBlocked(try .init(p)) },
  ]

  private static let channelMethods: [String: Reader] = [
    "channel.create": .init { p throws(ServiceError) in .channelCreate(try .init(p)) },
    "channel.list": .init { p throws(ServiceError) in .channelList(try .init(p)) },
    "channel.update": .init { p throws(ServiceError) in .channelUpdate(try .init(p)) },
    "channel.enter": .init { p throws(ServiceError) in .channelEnter(try .init(p)) },
    "channel.exit": .init { p throws(ServiceError) in .channelExit(url: try p.channelURL()) },
    "channel.participants": .init { p throws(ServiceError) in .channelParticipants(try .init(p)) },
  ]

  private static let groupMethods: [String: Reader] = [
    "group.create": .init { p throws(ServiceError) in .groupCreate(try .init(p)) },
    "group.update": .init { p throws(ServiceError) in .groupUpdate(try .init(p)) },
    "group.list": .init { p throws(ServiceError) in .groupList(try .init(p)) },
    "group.mark_read": .init { p throws(ServiceError) in
      guard let url = try p.optionalChannelURL() else { return .groupsMarkRead(try .init(p)) }
      let change = OwnChange.markRead(upTo: try p.optionalMessageID())
      return .channel(url: url, .group(.changeOwn(change)))
    },
    "group.mark_delivered": .init { p throws(ServiceError) in .groupsMarkDelivered(try .init(p)) },
    "group.unread": .init { p throws(ServiceError) in .groupUnread(try .init(p)) },
    "group.watch_totals": .init { p throws(ServiceError) in
      guard let isOn = try p.boolean("on") else { throw .missing("on") }
      return .groupWatchTotals(isOn)
    },
    "group.changes": .init { p throws(ServiceError) in .groupChanges(try .init(p)) },
    "group.recover": .init { p throws(ServiceError) in .groupRecover(try .init(p)) },
    "group.members": .init { p throws(ServiceError) in .groupMembers(try .init(p)) },
  ]

  private static let fileMethods: [String: Reader] = [
    "file.create": .init { p throws(ServiceError) in .fileCreate(try .init(p)) },
    "file.get": .init { p throws(ServiceError) in .fileGet(try .init(p)) },
    "file.list": .init { p throws(ServiceError) in .fileList(try .init(p)) },
    "file.cancel": .init { p throws(ServiceError) in .fileCancel(try .init(p)) },
  ]

  private static let previewMethods: [String: Reader] = [
    "preview.fetch": .init { p throws(ServiceError) in .previewFetch(try .init(p)) },
    "preview.cancel": .init { p throws(ServiceError) in .previewCancel(try .init(p)) },
  ]

  private static let pushMethods: [String: Reader] = [
    "push.register": .init { p throws(ServiceError) in .pushRegister(try .init(p)) },
    "push.unregister": .init { p throws(ServiceError) in .pushUnregister(try .init(p)) },
    "push.tokens": .init { _ throws(ServiceError) in .pushTokens },
    "push.preferences": .init { p throws(ServiceError) in .pushPreferences(try .init(p)) },
  ]

  private static let messageMethods: [String: Reader] = [
    "message.send_files": .init { p throws(ServiceError) in .messageSendFiles(try .init(p)) },
    "message.list": .init { p throws(ServiceError) in .messageList(try .init(p)) },
    "message.changes": .init { p throws(ServiceError) in .messageChanges(try .init(p)) },
    "message.search": .init { p throws(ServiceError) in .messageSearch(try .init(p)) },
  ]

  private static let reportMethods: [String: Reader] = [
    "message.report": .init { p throws(ServiceError) in .report(try .init(.message, p)) },
    "user.report": .init { p throws(ServiceError) in .report(try .init(.user, p)) },
    "channel.report": .init { p throws(ServiceError) in .report(try .init(.channel, p)) },
  ]
}
