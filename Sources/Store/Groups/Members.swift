import Channels
import ParleyProtocol

extension Member {
  static let columns: StoreStatement = """
    \(User.columns), members.state, members.inviter_id, members.invited_at, members.joined_at,
    members.visible_from, members.read_ordinal, members.read_at, members.floor_ordinal,
    members.own_after, members.hidden, members.hidden_ordinal, members.count_preference,
    CASE WHEN \(.isUnwantedInvitation) THEN 1 ELSE 0 END, users.last_seen_at,
    users.hides_reads, members.delivered_at, members.push_trigger
    """

  /// The number of `columns`.
  static let columnCount = 21

  /// From `columns`.
  init(row: StoreRow, _ fileURL: StoreOptions.FileURL) throws {
    guard let state = MemberState(stored: row[4]) else {
      throw StoreError.damaged(path: "the table members", reason: "an unknown state")
    }
    self.init(
      user: try User(row: row, fileURL), state: state, inviterID: row[5], invitedAt: row[6],
      joinedAt: row[7], visibleFrom: row[8],
      position: ReadPosition(
        ordinal: row[9], readAt: row[10], floor: row[11], ownAfter: row[12]),
      hiding: Hiding(stored: row[13], after: row[14]),
      countPreference: CountPreference(stored: row[15]), blocksInviter: row[16],
      lastSeenAt: row[17])
    hidesReads = row[18]
    deliveredAt = row[19]
    pushTrigger = ChannelPushTriggerOption(stored: row[20])
  }
}

extension Group {
  static let columns: StoreStatement =
    "is_distinct, is_public, access_code, creator_id, member_count, joined_count, is_super"

  /// From `columns`; of its creator only the id.
  ///
  /// - Parameter first: The place of the first of the columns.
  init(row: StoreRow, from first: Int = 0) {
    let creatorID: String? = row[first + 3]
    self.init(
      isDistinct: row[first], isPublic: row[first + 1], isSuper: row[first + 6],
      accessCode: row[first + 2],
      createdBy: creatorID.map { User(id: $0) }, memberCount: row[first + 4],
      joinedCount: row[first + 5])
  }
}

/// The state as a number, which makes the index of a user's groups small.
extension MemberState {
  var stored: Int {
    switch self {
    case .invited: 0
    case .joined: 1
    }
  }

  init?(stored: Int) {
    switch stored {
    case 0: self = .invited
    case 1: self = .joined
    default: return nil
    }
  }
}

/// Whether a member has hidden a group, as a number and the ordinal after which a message ends it.
extension Hiding {
  var stored: (kind: Int, ordinal: Int64) {
    switch self {
    case .unhidden: (0, 0)
    case .untilMessage(let ordinal): (1, ordinal)
    case .archived: (2, 0)
    }
  }

  init(stored kind: Int, after ordinal: Int64) {
    self =
      switch kind {
      case 1: .untilMessage(after: ordinal)
      case 2: .archived
      case _: .unhidden
      }
  }
}

/// The preference as a number, which queries understand.
extension CountPreference {
  var stored: Int {
    switch self {
    case .all: 0
    case .messagesOnly: 1
    case .mentionsOnly: 2
    case .off: 3
    }
  }

  init(stored: Int) { self = Self.allCases.first { $0.stored == stored } ?? .all }
}

/// A text that equals only texts of the same bytes, as in the database: Swift's own comparison would
/// treat canonically equivalent ids as those of one user.
struct ExactText: Hashable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (first: ExactText, second: ExactText) -> Bool {
    first.text.utf8.elementsEqual(second.text.utf8)
  }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension StoreTransaction {
  /// Reads the properties of a group; of its creator only the id.
  func readGroup(of state: inout ChannelState) throws {
    let found = try connection.first(
      "SELECT \(Group.columns), floor_ordinal FROM groups WHERE channel_id = ?", [state.id]
    ) { (group: Group(row: $0), floor: $0[7] as Int64) }
    (state.channel.group, state.floorOrdinal) = (found?.group, found?.floor ?? 0)
    if state.channel.group?.memberCount == 2 {
      state.channel.group?.blockerIDs = try blockerIDs(ofGroupOfTwo: state.id)
    }
  }

  /// The members of a group, in the order in which they became members.
  func members(channelID: Int64) throws -> [Member] {
    try connection.all(
      """
      SELECT \(Member.columns) FROM members \(.index("members_by_time")) JOIN users USING (user_id)
      WHERE channel_id = ? ORDER BY added_at, members.user_id
      """, [channelID]
    ) { try Member(row: $0, connection.fileURL) }
  }

  /// The given users who are members of a group, by id.
  func members(_ ids: [String], channelID: Int64) throws -> [ExactText: Member] {
    let (condition, value): (StoreStatement, any StoreArgument) =
      ids.count == 1 ? ("= ?", ids[0]) : (.isAnyOf, StoreValue.texts(ids))
    let found = try connection.all(
      """
      SELECT \(Member.columns) FROM members JOIN users USING (user_id)
      WHERE channel_id = ? AND members.user_id \(condition)
      """, [channelID, value]
    ) { try Member(row: $0, connection.fileURL) }
    return Dictionary(found.map { (ExactText($0.user.id), $0) }) { first, _ in first }
  }

  /// Reads the members of a group, and the profile of its creator, who is usually one of them.
  func readMembers(of state: inout ChannelState) throws {
    state.members = try members(channelID: state.id)
    if let lowest = state.lowestFloor {
      let deleted = try connection.all(
        "SELECT ordinal FROM uncounted WHERE channel_id = ? AND ordinal > ? ORDER BY ordinal",
        [state.id, lowest]
      ) { $0[0] as Int64 }
      state.uncounted = OrdinalSet(ascending: deleted)
    }
    guard let creatorID = state.channel.group?.createdBy?.id else { return }
    let key = ExactText(creatorID)
    state.channel.group?.createdBy =
      try state.members.first { ExactText($0.user.id) == key }?.user ?? user(creatorID)
  }

  /// The contents of a group as a member sees it.
  ///
  /// - Parameter since: ``Member/visibleFrom``.
  func groupReading(
    channelID: Int64, since: Int64, readerID: String?, memberLimit: Int
  ) throws -> GroupReading {
    let ends = try connection.first(
      """
      SELECT last_ordinal, floor_ordinal, last_seq FROM channels JOIN groups USING (channel_id)
      WHERE channel_id = ?
      """, [channelID]
    ) { (last: $0[0] as Int64, floor: $0[1] as Int64, seq: $0[2] as Int64) }
    // Members and messages of a deleted group remain for a while.
    guard let ends else {
      return GroupReading(
        lastMessage: nil, members: [], own: nil, lastOrdinal: 0, floorOrdinal: 0, lastSeq: 0)
    }
    return GroupReading(
      lastMessage: try lastMessage(inChannel: channelID, since: since),
      members: memberLimit > 0 ? try sample(memberLimit, ofMembersOf: channelID) : [],
      own: try readerID.flatMap { try ownReading(of: $0, channelID: channelID) },
      lastOrdinal: ends.last, floorOrdinal: ends.floor, lastSeq: ends.seq)
  }

  /// The newest message of a channel from a time on.
  ///
  /// - Parameter since: Unix milliseconds.
  func lastMessage(inChannel id: Int64, since: Int64) throws -> Message? {
    try storedMessages(
      .time,
      "channel_id = ? AND created_at >= ? ORDER BY created_at DESC, message_id DESC LIMIT 1",
      [id, since], channelID: id
    ).first?.message
  }

  /// Some members: the operators in their order, then those who joined last.
  func sample(_ limit: Int, ofMembersOf channelID: Int64) throws -> [Member] {
    try connection.all(
      """
      SELECT \(Member.columns)
      FROM members \(.index("members_by_time")) JOIN users USING (user_id)
      LEFT JOIN channel_operators AS o
        ON o.channel_id = members.channel_id AND o.user_id = members.user_id
      WHERE members.channel_id = ?
      ORDER BY CASE WHEN o.position IS NULL THEN 1 ELSE 0 END, o.position, members.joined_at DESC,
        members.invited_at DESC, members.user_id LIMIT ?
      """, [channelID, limit]
    ) { try Member(row: $0, connection.fileURL) }
  }
}
