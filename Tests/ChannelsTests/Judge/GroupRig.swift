import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

extension JudgeRig {
  /// A group that `boss` created, with the joined members `ann` and `ben`, and with the invited `cat`;
  /// `away` is a stranger.
  static func group(
    isPublic: Bool = false, isSuper: Bool = false, accessCode: String = "",
    isDistinct: Bool = false,
    ephemeral: Bool = false, operators: [String] = ["boss"],
    limit: RateLimit = RateLimit(count: 1_000, windowMilliseconds: 1000),
    previews: [String: LinkKnowledge]? = nil, inviting invited: [String] = ["ann", "ben", "cat"],
    asking asked: [String] = ["cat"], rules: GroupRules = GroupRules(),
    hooks: JudgeHooks? = nil
  ) throws -> JudgeRig {
    try JudgeRig(
      ephemeral: ephemeral, limit: limit, previews: previews, operators: operators,
      group: Group(
        isDistinct: isDistinct, isPublic: isPublic, isSuper: isSuper, accessCode: accessCode,
        createdBy: User(id: "boss")),
      inviting: invited, asking: asked, rules: rules, hooks: hooks)
  }

  /// Gives a change of members, lets the log answer all that it asks, and returns the outcome.
  func change(_ change: MembershipChange, by principal: Principal) throws -> Outcome {
    try perform(.group(.change(change)), by: principal)
  }

  func change(_ change: MembershipChange, by userID: String) throws -> Outcome {
    try self.change(change, by: .participant(userID))
  }

  /// Adds users who join when they are invited.
  func addUsers(_ count: Int) -> [String] {
    let ids = (0..<count).map { "u\($0)" }
    for id in ids { contents.set(User(id: id)) }
    return ids
  }

  /// The channel as stored in the log.
  func stored() throws -> ChannelState {
    guard case .success(.read(.channel(let state?))) = contents.answer(.channel(url: place.url))
    else { throw NoChannel() }
    return state
  }

  private struct NoChannel: Error {}

  /// The joined members in the log, sorted.
  func storedJoinedIDs() throws -> [String] {
    try stored().members.filter { $0.state == .joined }.map(\.user.id).sorted()
  }

  /// The users and the notifications that users received one by one.
  var notices: [(userIDs: [String], notification: JSONNode)] {
    others.compactMap { action in
      guard case .notify(let ids, let notification) = action,
        let root = try? JSONDocument(notification).root
      else { return nil }
      return (ids, root)
    }
  }

  /// The notifications for the connections of members.
  var memberNotices: [MemberNotice] {
    others.compactMap { if case .notifyMember(let notice) = $0 { notice } else { nil } }
  }

  /// Makes a change of a user's own part, and returns the part after it.
  func own(_ change: OwnChange, by userID: String) throws -> OwnMembership {
    try #require(try perform(.own(change), by: userID).own)
  }

  /// A user's own part as a view of the group shows it.
  func own(of userID: String) throws -> OwnMembership {
    try #require(try perform(.group(.view(memberLimit: 0)), by: userID).group?.own)
  }

  /// The events as short texts: the method, the users, and the numbers of members and joined members.
  var summaries: [String] { events.map(\.summary) }

  /// The events about members that the log has after a number, as such texts.
  func loggedSummaries(after seq: Int64 = 0) throws -> [String] {
    let read = LogRead.missed(
      channelID: place.id, after: seq, byteLimit: .max, updatesWithin: nil)
    guard case .success(.read(.missed(let events?))) = contents.answer(read) else {
      throw NoChannel()
    }
    return try events.compactMap { event in
      guard case .channel(let logged) = event, logged.name.rawValue.hasPrefix("group."),
        let payload = logged.payload
      else { return nil }
      let params = try JSONDocument(Array(payload.utf8)).root
      return ChannelEvent.summary(of: logged.name.rawValue, params)
    }
  }
}

extension ChannelEvent {
  /// The event as a short text.
  var summary: String { Self.summary(of: method ?? "", params) }

  /// Whether the event is about members of a group.
  var isAboutMembers: Bool { method?.hasPrefix("group.") == true }

  static func summary(of method: String, _ params: JSONNode?) -> String {
    let name = method.split(separator: ".").last.map(String.init) ?? ""
    guard let params else { return name }
    let listed = (params["users"] ?? params["operators"])?.elements
    let users = [params["user"]].compactMap(\.self) + (listed.map(Array.init) ?? [])
    var parts = [name] + users.compactMap { $0["user_id"]?.string }
    if let reason = params["reason"]?.string { parts.append(reason) }
    let numbers = params["channel"] ?? params
    if let all = numbers["member_count"]?.integer,
      let joined = numbers["joined_member_count"]?.integer
    {
      parts.append("\(all)/\(joined)")
    }
    return parts.joined(separator: " ")
  }
}

extension ChannelCommand {
  static func change(_ change: MembershipChange) -> ChannelCommand { .group(.change(change)) }

  static func own(_ change: OwnChange) -> ChannelCommand { .group(.changeOwn(change)) }

  static let viewGroup = ChannelCommand.group(.view(memberLimit: Limits.memberListCount))

  static func updateGroup(_ fields: ChannelFields) -> ChannelCommand { .group(.update(fields)) }

  /// The commands of each case, with the cases of what they hold in turn.
  static func samples(messageID: Int64 = 1) -> [ChannelCommand] {
    let data = [MetaArray(key: "k", values: ["v"])]
    return [
      .view, .send("x"), .send("x", "r"), .send("x", mentioning: ["ann"]),
      .updateMessage(messageID, MessageChanges(text: "y")), .deleteMessage(messageID),
      .viewMessage(messageID), .translateMessage(messageID, into: ["de"]),
      .changeMetaArrays(ofMessage: messageID, .createKeys(["k"])),
      .changeMetaArrays(ofMessage: messageID, .addValues(data)),
    ] + ChannelOperation.samples.map { .operation($0) } + groupSamples
  }

  /// The commands for groups only.
  static let groupSamples: [ChannelCommand] =
    [
      viewGroup, .group(.view(memberLimit: 0, created: true)),
      updateGroup(ChannelFields(name: "n")),
      .group(.delete), .group(.typing(true)), .group(.receipts), .group(.markDelivered(upTo: 1)),
    ] + MembershipChange.samples.map { .change($0) } + OwnChange.samples.map { .own($0) }
}

extension ChannelOperation {
  static let samples: [ChannelOperation] =
    [
      .update(ChannelFields(name: "n")), .delete, .freeze(true), .freeze(false),
      .addOperators(["ann"]), .removeOperators(["boss"]), .removeAllOperators,
      .restrict(.mute, ChannelRestriction(userID: "ann", seconds: 60, description: "")),
      .restrict(.ban, ChannelRestriction(userID: "ann", seconds: 60, description: "")),
      .changeBan(userID: "ann", BanChange(seconds: 60, description: nil)),
      .lift(.mute, userID: "ann"), .lift(.ban, userID: "ann"),
    ] + MembershipChange.samples.map { .changeMembers($0) }
}

extension MembershipChange {
  static let samples: [MembershipChange] = [
    .invite(["ben"]), .accept, .decline, .join(accessCode: ""), .join(accessCode: "guess"), .leave,
    .remove(["ann"]), .release(userIDs: ["ann"], keepsRoles: true),
    .release(userIDs: nil, keepsRoles: false), .forget(userID: "ann"),
  ]
}

extension OwnChange {
  static let samples: [OwnChange] = [
    .markRead(upTo: nil), .markRead(upTo: 1), .markUnread(from: 1),
    .hide(clearing: false, isArchived: false), .hide(clearing: true, isArchived: true), .unhide,
    .resetHistory, .prefer(.off),
  ]
}

extension GroupAnswer {
  /// The result as a client receives it.
  var json: JSONNode? { try? JSONDocument(encodedAsResult(epoch: "e")).root }
}

extension Result<JudgeAnswer, ServiceError> {
  /// The caller's own part in a group.
  var own: OwnMembership? {
    switch self {
    case .success(.own(let own)), .success(.historyReset(let own)): own
    case .success, .failure: nil
    }
  }

  /// Whether the call was answered with nothing.
  var isDone: Bool {
    if case .success(.done) = self { true } else { false }
  }
}
