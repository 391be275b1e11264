import Channels
import ParleyProtocol
import Store

extension Shard {
  /// Lists groups, and encodes each of them on the store's thread as it is read.
  ///
  /// - Parameter answer: Called once, on this shard.
  func listGroups(
    _ list: GroupList, of source: GroupSource, for caller: QueryCaller,
    _ encode: @escaping @Sendable (ListedGroup, inout JSONWriter) -> Void,
    page encodePage: @escaping @Sendable (ListPage<[UInt8]>) -> [UInt8] = {
      $0.encoded(as: "channels")
    },
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    let (path, services) = (returnPath, services)
    let listing = GroupListing(
      list, of: source, at: services.clock.now, as: JSONPageEncoder(encode))
    services.store.perform(listing, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      let page = result.serviceResult.map(encodePage)
      path.resume { answer($0, page) }
    }
  }
}

extension Shard {
  /// Lists the groups of a user that have changed, like ``listGroups(_:of:for:_:page:then:)``.
  func listGroupChanges(
    _ list: GroupChangeList, ofUser userID: String, for caller: QueryCaller,
    _ encode: @escaping @Sendable (ListedGroup, inout JSONWriter) -> Void,
    page encodePage: @escaping @Sendable (GroupChangePage<[UInt8]>) -> [UInt8],
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    let (path, services) = (returnPath, services)
    let changes = GroupChanges(
      ofUser: userID, list, at: services.clock.now, as: JSONPageEncoder(encode))
    services.store.perform(changes, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      let page = result.serviceResult.map(encodePage)
      path.resume { answer($0, page) }
    }
  }
}

extension GroupChangePage<[UInt8]> {
  /// The answer of both APIs.
  ///
  /// - Parameter name: The name of the token.
  func encoded(next name: StaticString) -> [UInt8] {
    JSONWriter.bytes(reserving: updated.reduce(256) { $0 + $1.count + 1 }) { writer in
      writer.object {
        $0.member("updated", array: { for group in updated { $0.value(raw: group) } })
        $0.member("deleted", departed)
        $0.member("has_more", hasMore)
        $0.member(name, token)
      }
    }
  }
}

extension GroupAnswer {
  /// A group of a list, as it was when it was read.
  ///
  init(_ group: ListedGroup, _ online: OnlineUsers, _ rules: GroupRules) {
    let state = group.state
    let onlineIDs = online.among(group.members.map(\.member.user.id))
    let hasReceipts = rules.hasReceipts(
      in: state.channel, with: state.channel.group?.memberCount ?? 0)
    let operatorIDs = Set(state.channel.operators.map(\.id))
    self.init(
      info: ChannelInfo(state.channel, participantCount: 0), lastOrdinal: state.lastOrdinal,
      seq: state.lastSeq, lastMessage: group.lastMessage, own: group.own,
      members: state.channel.group?.isSuper == true
        ? nil
        : group.members.map { member, isMuted in
          GroupMember(
            member, isOperator: operatorIDs.contains(member.user.id), isMuted: isMuted,
            isOnline: onlineIDs.contains(member.user.id), hasReceipts: hasReceipts)
        })
  }
}

extension GroupNumbers {
  /// Writes the result of `group.unread`.
  func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("unread_message_count", unreadMessageCount)
      $0.member("unread_channel_count", unreadChannelCount)
      $0.member("invitation_count", invitationCount)
    }
  }
}
