import Channels
import ParleyProtocol
import Reactor

extension Session {
  /// Creates a group with the caller and others as members.
  func createGroup(
    _ command: GroupCreate, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    do throws(ServiceError) {
      try shard.services.groupRates.admitCreation(
        by: caller.user.id, inviting: command.userIDs.count,
        at: SystemClock.monotonicMilliseconds)
      let channel = try command.channel(by: caller.user, at: shard.services.clock.now)
      let creation = GroupCreation(
        channel, inviting: command.userIDs.filter { $0 != caller.user.id }.sorted(),
        memberLimit: command.memberLimit)
      shard.send(
        .channel(url: channel.url, .createGroup(creation, by: caller, replyTo: address)))
    } catch {
      reply(.failure(error), to: address)
    }
  }

  /// Counts a shard that has added the connection to the user's groups there.
  ///
  /// - Parameter parts: The number of shards that do so.
  func groupsWereCovered(parts: Int) {
    guard case .open = state else { return }
    coveredParts += 1
    guard Int(coveredParts) >= parts else { return }
    coveredParts = 0
    settleEvents()
    send(Event.groupReady.notification(from: .session(at: shard.services.clock.now)))
  }
}

extension GroupCreate {
  /// The group to be created.
  ///
  /// - Throws: 400111 for operators who will be no members, 400203 for too many members.
  fileprivate func channel(
    by creator: User, at now: Int64
  ) throws(ServiceError) -> Channel {
    let members = Set(userIDs + [creator.id])
    guard members.count <= Limits.memberCount else {
      throw .tooManyMembers(limit: Limits.memberCount)
    }
    if let stranger = fields.operatorIDs?.first(where: { !members.contains($0) }) {
      throw .invalid("operator_ids", stranger, expected: "a member of the group")
    }
    let operatorIDs = fields.operatorIDs ?? (isDistinct ? [] : [creator.id])
    return Channel(
      url: channelURL ?? Identifiers.groupURL(), name: fields.name ?? "",
      coverURL: fields.coverURL ?? "", data: fields.data ?? "", customType: fields.customType ?? "",
      isEphemeral: isEphemeral, operators: operatorIDs.map { User(id: $0) }, createdAt: now,
      group: Group(
        isDistinct: isDistinct, isPublic: fields.isPublic ?? false,
        accessCode: fields.accessCode ?? "", createdBy: creator))
  }
}
