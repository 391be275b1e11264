import Channels
import Configuration
import ParleyProtocol
import Store

extension Shard {
  /// Runs a query over groups, each of which is encoded on the store's thread as it is read.
  ///
  /// - Parameters:
  ///   - encode: Encodes the page.
  ///   - answer: Called once, on this shard.
  func listGroups<Query: StoreQuery>(
    _ query: Query, for caller: QueryCaller,
    page encode: @escaping @Sendable (Query.Outcome) -> [UInt8],
    then answer: @escaping @Sendable (Shard, Result<[UInt8], ServiceError>) -> Void
  ) {
    let (path, services) = (returnPath, services)
    services.store.perform(query, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      let page = result.serviceResult.map(encode)
      path.resume { answer($0, page) }
    }
  }

  /// Encodes groups for the socket.
  var groupEncoder: JSONPageEncoder<ListedGroup> {
    let (rules, online) = (GroupRules(settings.groups), services.onlineUsers)
    return JSONPageEncoder { group, writer in
      GroupAnswer(group, online, rules)
        .encode(epoch: group.state.epoch, into: &writer)
    }
  }

  /// Encodes groups for the Platform API.
  func groupEncoder(showing parts: GroupParts) -> JSONPageEncoder<ListedGroup> {
    let (rules, online) = (GroupRules(settings.groups), services.onlineUsers)
    return JSONPageEncoder { group, writer in
      GroupAnswer(group, online, rules)
        .encodeForPlatform(parts, MessageAuthors(group), into: &writer)
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
    let reads = VisibleReceipts(
      of: state.channel, with: state.channel.group?.memberCount ?? 0, under: rules,
      seenBy: group.viewer)
    let operatorIDs = Set(state.channel.operators.map(\.id))
    self.init(
      info: ChannelInfo(state.channel, participantCount: 0), lastOrdinal: state.lastOrdinal,
      seq: state.lastSeq, lastMessage: group.lastMessage, own: group.own,
      members: state.channel.group?.isSuper == true
        ? nil
        : group.members.map { member, isMuted in
          GroupMember(
            member, isOperator: operatorIDs.contains(member.user.id), isMuted: isMuted,
            isOnline: onlineIDs.contains(member.user.id), reads)
        })
  }
}
