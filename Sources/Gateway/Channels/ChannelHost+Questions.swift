import Channels
import FloodControl
import ParleyProtocol

/// Facts that a channel and its judge know.
extension ChannelHost {
  /// Whether some servers have not reported their users in the channel.
  var isGathering: Bool { home.isGathering }
  /// The users in the channel.
  var roster: ChannelRoster { home.roster }
  var info: ChannelInfo { judge.info }
  /// The last event that was published; none is recorded for an ephemeral channel.
  var lastEvent: KnownEvent {
    KnownEvent(epoch: epoch, seq: judge.channel.isEphemeral ? 0 : judge.lastSeq)
  }
  var operatorIDs: Set<String> { judge.operatorIDs }
  var isGroup: Bool { judge.channel.group != nil }
  var kind: ChannelKind { judge.channel.kind }
  /// The muted users of a group or channel.
  var mutedIDs: Set<String> { judge.mutedIDs(at: shard.services.clock.now) }

  /// The joined members of the group, in no particular order; none of an open channel.
  var joinedIDs: [String] { judge.joinedIDs ?? [] }

  /// How far the joined members of a group with receipts have read and received messages; `nil` for another
  /// channel.
  var receipts: GroupReceipts? { judge.receipts }

  /// Whether a user is a joined member of the group.
  func isJoined(_ userID: String) -> Bool { judge.isJoined(userID) }

  /// The number of members of the group, joined or invited.
  var memberCount: Int { judge.memberCount }

  /// The state of a member of the group; `nil` for a user who is no member.
  func memberState(of userID: String) -> MemberState? { judge.memberState(of: userID) }

  /// - Returns: See ``Member/visibleFrom``.
  /// - Throws: What a group answers to users who may not read it.
  func requireReading(_ principal: Principal) throws(ServiceError) -> Int64 {
    try judge.requireReading(principal)
  }

  /// - Returns: The `created_at` of the oldest message that a user may report.
  /// - Throws: 900020 for a user who is not in the channel, and what a group answers to users who may not read it.
  func requireReporting(_ principal: SessionPrincipal) throws(ServiceError) -> Int64 {
    try judge.requireReporting(principal)
  }

  /// - Throws: What a group answers to a call for open channels.
  func requireOpenChannel(_ principal: Principal) throws(ServiceError) {
    try judge.requireOpenChannel(principal)
  }

  /// - Throws: What a group answers to users who may not see its members.
  func requireListingMembers(_ principal: Principal) throws(ServiceError) {
    try judge.requireListingMembers(principal)
  }
  var floodLimit: RateLimit { judge.floodLimit }

  /// The throttle of a user who is in the channel on this server.
  func throttle(of userID: String) -> Throttle? { stage?.throttle(of: userID) }

  /// A restriction of a user that is in force now.
  func restriction(_ kind: RestrictionKind, of userID: String) -> Restriction? {
    judge.restriction(kind, of: userID, at: shard.services.clock.now)
  }

  /// - Throws: 400201 for a deleted channel, 400750 for a banned user.
  func requireEntering(_ userID: String) throws(ServiceError) {
    try judge.requireEntering(userID, at: shard.services.clock.now)
  }

  /// Whether a user may enter now.
  func mayEnter(_ userID: String) -> Bool { (try? requireEntering(userID)) != nil }

  /// - Throws: 400201 for a channel that keeps no messages or was deleted.
  func requireKeptMessages() throws(ServiceError) { try judge.requireKeptMessages() }

  /// A user's windows, and the obstacles to its next message.
  ///
  /// - Parameter refusals: The refusals of any message of the user, whatever the channel.
  func sendCheck(of userID: String, _ refusals: [ServiceError]) -> SendCheck {
    judge.sendCheck(of: userID, refusals, at: shard.services.now)
  }
}
