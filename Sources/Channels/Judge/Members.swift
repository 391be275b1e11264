import ParleyProtocol

/// The members of a group as its judge knows them: without their profiles, which the log has.
package struct Members: Sendable {
  private var table = MemberTable()
  /// The number of joined members.
  private(set) var joinedCount = 0
  /// The members who have hidden the group until the next message.
  private(set) var awaitingIDs: Set<String> = []
  /// The members whose clients calculate a wrong number of unread messages from the last event, because it
  /// is about a message that is unread for no member.
  private var miscountingIDs: Set<String> = []
  /// The ordinals of messages that are unread for no member: deleted ones, and those between the two
  /// members of a group one of whom blocks the other.
  private var uncounted: OrdinalSet
  /// See ``ChannelState/floorOrdinal``.
  private var floor: Int64
  /// By user: the last event of the log at the time of a later read of the member, as long as events up to
  /// it may follow here.
  private var readSeqs: [String: Int64] = [:]

  /// - Parameters:
  ///   - lastOrdinal: The last message of the group.
  ///   - uncounted: See ``ChannelState/uncounted``.
  ///   - floor: See ``ChannelState/floorOrdinal``.
  init(
    _ members: [Member], lastOrdinal: Int64 = 0, uncounted: OrdinalSet = OrdinalSet(),
    floor: Int64 = 0
  ) {
    self.uncounted = uncounted
    self.floor = floor
    table.reserve(members.count)
    for member in members { put(member.unhidden(byMessagesUpTo: lastOrdinal)) }
  }

  /// The members of a group as it was read; `nil` for an open channel.
  ///
  /// This takes a while for a large group, so it is done where the group is read.
  package init?(_ state: ChannelState) {
    guard state.channel.group != nil else { return nil }
    self.init(
      state.members, lastOrdinal: state.lastOrdinal, uncounted: state.uncounted,
      floor: state.floorOrdinal)
  }

  /// The number of members, joined and invited.
  var count: Int { table.count }

  /// The bytes that the members take in memory.
  package var byteCount: Int { table.byteCount }

  subscript(userID: String) -> Member? { table[userID] }

  /// The state of a user; `nil` for a user who is no member.
  func state(of userID: String) -> MemberState? { table.state(of: userID) }

  func contains(_ userID: String) -> Bool { state(of: userID) != nil }

  func isJoined(_ userID: String) -> Bool { state(of: userID) == .joined }

  /// The ids of all members, sorted.
  var ids: [String] {
    var ids: [String] = []
    table.forEach { id, _ in
      ids.append(id)
      return true
    }
    return ids.sorted()
  }

  /// The ids of the joined members, in no particular order.
  var joinedIDs: [String] { joinedIDs(from: 0, limit: .max).ids }

  /// The joined members, in no particular order.
  private var joinedMembers: [Member] { joinedIDs.compactMap { table[$0] } }

  /// Some ids of joined members, in no particular order.
  ///
  /// - Parameters:
  ///   - place: 0 at first, then ``Piece/next``.
  ///   - limit: The maximum number of ids.
  package func joinedIDs(from place: Int, limit: Int) -> Piece {
    var piece = Piece()
    piece.next = table.forEach(from: place) { id, state in
      if state == .joined { piece.ids.append(id) }
      return piece.ids.count < limit
    }
    return piece
  }

  /// The ids of the joined members in pieces of bounded size.
  package func joinedIDPieces() -> [[String]] {
    var inventory = StageInventory(userIDs: joinedIDs)
    var pieces: [[String]] = []
    while !inventory.isEmpty { pieces.append(inventory.next { _ in true }.userIDs) }
    return pieces
  }

  /// Some ids, and the place of the next ones; `nil` at the end.
  package struct Piece: Sendable {
    package var ids: [String] = []
    package var next: Int?
  }

  /// The positions of the joined members that a caller sees.
  func receipts(_ visible: VisibleReceipts) -> GroupReceipts {
    var receipts = GroupReceipts()
    for member in joinedMembers {
      receipts.read[member.user.id] = visible.readAt(of: member) ?? 0
      receipts.delivered[member.user.id] = visible.deliveredAt(of: member)
    }
    return receipts
  }

  /// Raises positions that the log has stored, by user.
  mutating func setDelivered(_ positions: [String: Int64]) {
    for (userID, deliveredAt) in positions where isJoined(userID) {
      table.update(userID) { $0.deliveredAt = max($0.deliveredAt, deliveredAt) }
    }
  }

  /// The joined members who keep to themselves how far they have read.
  var privateReaderIDs: [String] { joinedMembers.filter(\.hidesReads).map(\.user.id) }

  /// Notes whether a user keeps to itself how far it has read.
  mutating func setHidesReads(_ hidesReads: Bool, _ userID: String) {
    table.update(userID) { $0.hidesReads = hidesReads }
  }

  /// Adds a member, or changes it.
  mutating func put(_ member: Member) {
    let former = table.put(member)
    if former == .joined { joinedCount -= 1 }
    forget(member.user.id)
    if member.state == .joined { joinedCount += 1 }
    if case .untilMessage = member.hiding { awaitingIDs.insert(member.user.id) }
  }

  /// Changes a member to its state in the log after an event, which may follow here.
  mutating func put(_ member: Member, readAfter seq: Int64) {
    put(member)
    readSeqs[member.user.id] = seq
  }

  /// Removes a user, if it is a member.
  mutating func remove(_ userID: String) {
    if table.remove(userID) == .joined { joinedCount -= 1 }
    forget(userID)
  }

  /// Removes what is known of a user besides its values.
  private mutating func forget(_ userID: String) {
    if !awaitingIDs.isEmpty { awaitingIDs.remove(userID) }
    if !readSeqs.isEmpty { readSeqs[userID] = nil }
  }
}

/// Messages and who has read them.
extension Members {
  /// The number of messages that a joined member has not read.
  ///
  /// - Parameter last: The last message of the group.
  func unreadCount(of member: Member, last: Int64) -> Int64 {
    guard member.state == .joined else { return 0 }
    return Self.unreadCount(of: member, last: last, above: floor, uncounted)
  }

  private static func unreadCount(
    of member: Member, last: Int64, above floor: Int64, _ uncounted: OrdinalSet
  ) -> Int64 {
    let position = max(member.position.ordinal, member.position.floor, floor)
    return max(
      0, last - position - member.position.ownAfter - uncounted.count(after: position))
  }

  /// Notes that the messages up to one have expired.
  mutating func raiseFloor(to ordinal: Int64) { floor = max(floor, ordinal) }

  /// Notes that a joined member has sent a message, and has read up to it.
  ///
  /// - Parameter seq: The number of the message's event.
  /// - Returns: Whether messages before it were unread until then.
  mutating func advance(
    _ userID: String, to ordinal: Int64, at createdAt: Int64, seq: Int64
  ) -> Bool {
    guard isNews(seq, for: userID) else { return false }
    var hasRead = false
    let (floor, uncounted) = (floor, uncounted)
    table.update(userID) {
      guard $0.state == .joined else { return }
      hasRead = Self.unreadCount(of: $0, last: ordinal - 1, above: floor, uncounted) > 0
      $0.position.advance(to: ordinal, at: createdAt)
    }
    return hasRead
  }

  /// Notes a message of a joined member that does not move its position.
  ///
  /// - Parameter seq: The number of the message's event.
  mutating func countOwn(_ userID: String, seq: Int64) {
    guard isNews(seq, for: userID) else { return }
    table.update(userID) { if $0.state == .joined { $0.position.ownAfter += 1 } }
  }

  /// Notes a message that no member counts as unread, and that does not end the hiding of the group by
  /// the member who blocks its author.
  mutating func disregard(_ ordinal: Int64, for blockerID: String) {
    uncounted.insert(ordinal)
    table.update(blockerID) { $0.hiding.stay(afterMessage: ordinal) }
    if isJoined(blockerID) { miscountingIDs.insert(blockerID) }
  }

  /// Notes that a message was deleted.
  ///
  /// - Parameter seq: The number of the deletion's event.
  mutating func uncount(_ ordinal: Int64, by userID: String?, seq: Int64) {
    guard uncounted.insert(ordinal) else {
      return miscountingIDs.formUnion(readers(before: ordinal, except: userID))
    }
    guard let userID, isNews(seq, for: userID) else { return }
    table.update(userID) { $0.position.forgetOwn(ordinal) }
  }

  /// The joined members who have not read up to a message of another user.
  private func readers(before ordinal: Int64, except authorID: String?) -> [String] {
    joinedMembers.filter { member in
      member.user.id != authorID
        && max(member.position.ordinal, member.position.floor) < ordinal
    }.map(\.user.id)
  }

  /// Removes and returns ``miscountingIDs``, sorted.
  mutating func takeMiscountingIDs() -> [String] {
    guard !miscountingIDs.isEmpty else { return [] }
    defer { miscountingIDs = [] }
    return miscountingIDs.sorted()
  }

  /// Whether a joined member has not read up to a message.
  func hasUnread(_ ordinal: Int64, _ userID: String) -> Bool {
    guard let member = table[userID], member.state == .joined else { return false }
    return max(member.position.ordinal, member.position.floor) < ordinal
  }

  /// Notes that the mentions of a message have changed.
  ///
  /// Members count them only if they count the message. The connection of an editor receives the message as the
  /// answer, which lacks the former mentions.
  mutating func noteMentions(
    ofMessage ordinal: Int64, by authorID: String?, editedBy editorID: String?
  ) {
    if uncounted.contains(ordinal) {
      miscountingIDs.formUnion(readers(before: ordinal, except: authorID))
    } else if let editorID, editorID != authorID, hasUnread(ordinal, editorID) {
      miscountingIDs.insert(editorID)
    }
  }

  /// Whether the known state of a member is from before an event.
  private func isNews(_ seq: Int64, for userID: String) -> Bool {
    readSeqs.isEmpty || seq > readSeqs[userID] ?? 0
  }

  /// Ends the hiding of the group, which a message has ended.
  ///
  /// - Returns: The members for whom it has ended.
  mutating func unhide(atMessage ordinal: Int64) -> [String] {
    guard !awaitingIDs.isEmpty else { return [] }
    let ids = awaitingIDs.filter { table[$0]?.hiding.isInForce(lastOrdinal: ordinal) == false }
    for id in ids { table.update(id) { $0.hiding = .unhidden } }
    awaitingIDs.subtract(ids)
    return ids.sorted()
  }
}
