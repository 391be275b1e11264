internal import ParleyClient
internal import enum ParleyProtocol.ChannelKind

/// The channel of a conversation, of either kind.
enum ConversationChannel {
  case open(OpenChannel)
  case group(GroupChannel)

  /// The error code for a call that the channel does not have.
  private static let unacceptable = 400_920

  /// The calls that both kinds have.
  var channel: any BaseChannel {
    switch self {
    case .open(let channel): channel
    case .group(let group): group
    }
  }

  /// The name of the channel and the number of users in it.
  var title: String {
    let name = channel.name.isEmpty ? channel.url : channel.name
    return "\(name), \(count)"
  }

  private var count: String {
    switch self {
    case .open(let channel): "\(channel.participantCount) here"
    case .group(let group): "\(group.joinedMemberCount) members"
    }
  }

  /// Enters an open channel, or takes part in a group that the user has joined.
  static func enter(
    _ argument: EitherChannelArgument, _ client: ParleyClient
  ) async throws -> ConversationChannel {
    do {
      switch argument.kind {
      case .open: return try await .enter(client.openChannel(url: argument.url))
      case .group: return try await .take(client.groupChannel(url: argument.url))
      }
    } catch ParleyError.refused(Self.unacceptable, let reason, _) {
      let isOther = await isOfOtherKind(argument, client)
      throw CommandFailure.refused(
        isOther ? "\"\(argument.url)\" \(argument.kind.other.advice)" : reason,
        code: Self.unacceptable)
    }
  }

  /// Whether a channel that was refused has the other kind.
  private static func isOfOtherKind(
    _ argument: EitherChannelArgument, _ client: ParleyClient
  ) async -> Bool {
    switch argument.kind {
    case .open: true
    case .group: (try? await client.openChannel(url: argument.url)) != nil
    }
  }

  private static func enter(_ channel: OpenChannel) async throws -> ConversationChannel {
    try await channel.enter()
    return .open(channel)
  }

  private static func take(_ group: GroupChannel) throws -> ConversationChannel {
    guard group.myMemberState == .joined else {
      throw CommandFailure.refused(
        "the user has not joined the group \(group.url): use 'parley group accept' or "
          + "'parley group join'", code: 0)
    }
    return .group(group)
  }

  /// Returns the users in the channel as one line.
  func people() async throws(ParleyError) -> String {
    let names =
      switch self {
      case .open(let channel):
        try await channel.createParticipantListQuery(limit: 100).loadNextPage()
          .map { $0.isOperator ? "\($0.id) (operator)" : $0.id }
      case .group(let group):
        try await joinedMembers(of: group).map {
          $0.role == .operator ? "\($0.userID) (operator)" : $0.userID
        }
      }
    return "\(count): \(names.joined(separator: ", "))"
  }

  private func joinedMembers(of group: GroupChannel) async throws(ParleyError) -> [Member] {
    let params = MemberListQueryParams()
    params.memberStateFilter = .joined
    params.limit = 100
    return try await group.createMemberListQuery(params: params).loadNextPage()
  }

  /// Whether an event is part of the conversation.
  func includes(_ event: ParleyEvent) -> Bool {
    switch event {
    case .channel, .connection, .mentioned, .unreadTotalsChanged, .dropped: true
    // A session receives the events of all groups of its user.
    case .group(let group, _): group.url == channel.url
    }
  }
}

extension ParleyEvent {
  /// The messages that throttling withheld, if this is such an event.
  var withheldMessages: ThrottledMessages? {
    switch self {
    case .channel(_, .messagesThrottled(let messages)), .group(_, .messagesThrottled(let messages)):
      messages
    case .channel, .group, .connection, .mentioned, .unreadTotalsChanged, .dropped: nil
    }
  }
}
