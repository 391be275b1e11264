import Channels
import ParleyProtocol
import Store
import Telemetry

/// A group on the shard where it is at home.
extension ChannelHost {
  /// Answers a session with a page of the members, at most as many as an answer holds.
  func listMembers(
    _ list: GroupMembers, for caller: SessionPrincipal, replyTo address: ReplyAddress
  ) {
    do throws(ServiceError) { try requireListingMembers(.session(caller)) } catch {
      return reply(to: address, .failure(error))
    }
    let encoder = memberEncoder(for: caller.user.id) {
      $0.encode(isBlocked: $1.isBlocked, into: &$2)
    }
    let query = MemberListing(
      channelID: place.id, state: list.state, seenBy: caller.user.id, limit: list.limit,
      token: list.token, as: encoder)
    perform(query, for: .session(caller), { $0.encoded(as: "members") }) { channel, result in
      channel.afterWrites { $0.reply(to: address, result) }
    }
  }

  /// Encodes members with their roles, mutes and sessions as they are now.
  ///
  /// - Parameter viewerID: The caller; `nil` for the Platform API.
  func memberEncoder(
    for viewerID: String?,
    _ encode: @escaping @Sendable (GroupMember, ListedMember, inout JSONWriter) -> Void
  ) -> JSONPageEncoder<ListedMember> {
    let (operatorIDs, mutedIDs) = (operatorIDs, mutedIDs)
    let reads = judge.visibleReceipts(to: viewerID)
    let online = shard.services.onlineUsers
    return JSONPageEncoder { listed, writer in
      let id = listed.member.user.id
      let shown = GroupMember(
        listed.member, isOperator: operatorIDs.contains(id), isMuted: mutedIDs.contains(id),
        isOnline: online.contains(id), reads)
      encode(shown, listed, &writer)
    }
  }

  /// Includes the channel in the gauges of what is in memory.
  func beginCounting() {
    shard.gauges.add(1, to: .channels)
    guard isGroup else { return }
    shard.gauges.add(1, to: .groups)
    countedMembers = 0
    countMembers()
  }

  /// Removes the channel, which is forgotten, from the gauges.
  func endCounting() {
    shard.gauges.add(-1, to: .channels)
    guard let count = countedMembers else { return }
    countedMembers = nil
    shard.gauges.add(-1, to: .groups)
    shard.gauges.add(-Int64(count), to: .groupMembers)
  }

  /// Adds a change of the number of members to the gauges.
  func countMembers() {
    guard let counted = countedMembers, counted != memberCount else { return }
    shard.gauges.add(Int64(memberCount - counted), to: .groupMembers)
    countedMembers = memberCount
  }

  /// Passes a fact to the judge, and once more after the writes in progress: the answer to one that was
  /// written before the fact may bring the group to a state without it.
  func handleInOrder(_ input: JudgeInput) {
    handle(input)
    afterWrites { $0.handle(input) }
  }
}
