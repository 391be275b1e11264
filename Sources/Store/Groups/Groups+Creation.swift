import Channels
import Crypto
import ParleyProtocol

/// The key under which a distinct group is found: the SHA-256 of the ids of its users, in hexadecimal
/// digits.
enum DistinctKey {
  /// Makes the key of users, whose order and repetitions do not matter.
  ///
  /// No stored text contains U+0000, so it can separate the ids.
  static func make(of userIDs: [String]) -> String {
    let ids = Set(userIDs.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
    return TokenDigest(of: Array(ids.joined(separator: [0]))).hex
  }
}

extension WriteTransaction {
  /// Creates a group with its first members, and records the events about those who are not its creator.
  ///
  /// - Parameter ids: The members besides the creator.
  /// - Returns: `.channel`, or `.found` when a distinct group of the same users exists.
  /// - Throws: `StoreError.exists`, `.noUser`, `LogError.deactivated`, `.tooManyGroups`, or
  ///   `.tooManyInvitations` for a distinct group, which needs all of its users; then nothing was written.
  func createGroup(
    _ channel: Channel, epoch: String, inviting ids: [String],
    under rules: GroupRules = GroupRules()
  ) throws -> LogOutcome {
    let creatorID = channel.group?.createdBy?.id
    let allIDs = (creatorID.map { [$0] } ?? []) + ids
    let key = channel.group?.isDistinct == true ? DistinctKey.make(of: allIDs) : nil
    while true {
      if let key, let found = try distinctGroup(key) { return .found(found) }
      guard try channelRow(channel.url) == nil else { throw StoreError.exists }
      let creator = try activeUsers(creatorID.map { [$0] } ?? []).first?.user
      if let creatorID { try requireRoom(for: creatorID, under: rules) }
      let otherIDs = ids.filter { ExactText($0) != creatorID.map(ExactText.init) }
      let others = try invitees(otherIDs, by: creator, under: rules)
      if key != nil,
        let missing = otherIDs.first(where: { id in
          !others.contains { ExactText($0.user.id) == ExactText(id) }
        })
      {
        throw LogError.tooManyInvitations(userID: missing, limit: rules.invitedLimit)
      }
      var channel = channel
      channel.group?.memberCount = others.count + (creator == nil ? 0 : 1)
      channel.group?.joinedCount =
        others.count(where: \.acceptsInvitations) + (creator == nil ? 0 : 1)
      let id = try insertChannel(channel, epoch: epoch)
      guard try insertGroup(of: channel, channelID: id, distinctKey: key) else {
        // Another server has created the distinct group in the meantime.
        try connection.execute("DELETE FROM channels WHERE channel_id = ?", [id])
        continue
      }
      if let creator {
        try insertMember(Member(creator, joinedAt: channel.createdAt), channelID: id)
      }
      let invitation = Invitation(
        of: others, by: creator, history: NewHistory(), at: channel.createdAt)
      try insertMembers(of: invitation, channelID: id)
      _ = try insertOperators(channel.operators.map(\.id), channelID: id)
      let state = try existingChannel(channel.url)
      try queue(
        .groupCreated(ChannelInfo(state.channel, participantCount: 0)),
        from: EventOrigin(channelURL: channel.url, seq: 0, timestamp: channel.createdAt))
      var former = state.channel.group ?? Group()
      former.memberCount = 0
      _ = try record(invitation.inOrderOfIDs, to: state, from: former)
      guard let created = try self.channel(channel.url) else {
        throw StoreError.notFound(.channel)
      }
      return .channel(created)
    }
  }

  /// - Returns: Whether there was no group with this key, which another server may just have created.
  private func insertGroup(
    of channel: Channel, channelID: Int64, distinctKey: String?
  ) throws -> Bool {
    let group = channel.group ?? Group()
    return try connection.change(
      """
      INSERT INTO groups (channel_id, is_distinct, is_public, access_code, creator_id, member_count,
        joined_count, distinct_key, empty_since, is_super)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (distinct_key) WHERE distinct_key IS NOT NULL DO NOTHING
      """,
      [
        channelID, group.isDistinct, group.isPublic, group.accessCode, group.createdBy?.id,
        group.memberCount, group.joinedCount, distinctKey,
        group.memberCount == 0 ? channel.createdAt : nil, group.isSuper,
      ]) > 0
  }

  private func distinctGroup(_ key: String) throws -> ChannelState? {
    let url = try connection.first(
      """
      SELECT channels.url FROM groups JOIN channels USING (channel_id) WHERE distinct_key = ?
      """, [key]
    ) { $0[0] as String }
    return try url.flatMap { try channel($0) }
  }
}
