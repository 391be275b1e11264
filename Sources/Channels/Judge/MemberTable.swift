import ParleyProtocol

/// The members of a group by id, each in as few bytes as its values need.
///
/// A group may have 100,000 members. A member is a record in one array of bytes, which leaves out values at
/// their defaults, and an index finds the records by the hash of the id. A record that changes its size
/// moves to the end; the array is written again once an eighth of it is unused.
///
///     index     … │ 0 │ 1 + place │ removed │ …
///     records   … │ length, id, flags, values │ …
///
/// Ids are compared as bytes, as in the database.
struct MemberTable: Sendable {
  /// By hash: the place of a record plus 1, 0 in an empty slot, ``removed`` in one that was emptied.
  private var index: [UInt32] = []
  private var records: [UInt8] = []
  private(set) var count = 0
  /// The slots that are not empty, with those of removed records.
  private var usedSlotCount = 0
  private var unusedByteCount = 0
  /// The users whom records name as inviters by number.
  private var inviterIDs: [String] = []

  private static let removed = UInt32.max
  /// Further inviters are in the records themselves.
  private static let inviterLimit = 64
  private static let smallestUnused = 1_024
  /// Below this size the array grows by itself.
  private static let smallestManaged = 8_192

  /// The bytes that the table takes.
  var byteCount: Int { records.capacity + index.capacity * MemoryLayout<UInt32>.size }

  /// Makes room in the index for this many members.
  mutating func reserve(_ memberCount: Int) {
    if (usedSlotCount + memberCount) * 8 > index.count * 7 { rebuildIndex(for: memberCount) }
  }

  subscript(userID: String) -> Member? { find(userID).map { member(at: $0.place) } }

  /// The state of a user; `nil` for a user who is no member.
  func state(of userID: String) -> MemberState? {
    find(userID).map { MemberRecord.state(in: records, at: $0.place) }
  }

  /// Adds a member, or replaces its values.
  ///
  /// - Returns: The state before; `nil` for a new member.
  @discardableResult
  mutating func put(_ member: Member) -> MemberState? {
    guard let found = find(member.user.id) else {
      insert(member)
      return nil
    }
    let state = MemberRecord.state(in: records, at: found.place)
    replace(found, with: member)
    return state
  }

  /// Changes a member, if the user is one.
  mutating func update(_ userID: String, _ change: (inout Member) -> Void) {
    guard let found = find(userID) else { return }
    var member = member(at: found.place)
    change(&member)
    replace(found, with: member)
  }

  /// Removes a user.
  ///
  /// - Returns: The state before; `nil` for a user who was no member.
  mutating func remove(_ userID: String) -> MemberState? {
    guard let found = find(userID) else { return nil }
    let state = MemberRecord.state(in: records, at: found.place)
    unusedByteCount += MemberRecord.length(in: records, at: found.place)
    MemberRecord.markRemoved(in: &records, at: found.place)
    index[found.slot] = Self.removed
    count -= 1
    compact()
    return state
  }

  /// Calls `body` with members from a place on, until it returns false.
  ///
  /// - Parameter place: 0 for all; otherwise a place that this function has returned for the same table.
  /// - Returns: The place after the last of these members; `nil` at the end.
  @discardableResult
  func forEach(from place: Int = 0, _ body: (String, MemberState) -> Bool) -> Int? {
    var place = place
    while place < records.count {
      let next = place + MemberRecord.length(in: records, at: place)
      if !MemberRecord.isRemoved(in: records, at: place) {
        let id = MemberRecord.userID(in: records, at: place)
        if !body(id, MemberRecord.state(in: records, at: place)) { return next }
      }
      place = next
    }
    return nil
  }

  // MARK: Records

  private func member(at place: Int) -> Member {
    MemberRecord.member(in: records, at: place) { inviterIDs[$0] }
  }

  private mutating func insert(_ member: Member) {
    let inviter = inviter(of: member)
    if (usedSlotCount + 1) * 8 > index.count * 7 { rebuildIndex(for: 1) }
    let place = records.count
    reserveRecord()
    MemberRecord.append(member, inviter, to: &records)
    link(place)
    count += 1
  }

  /// Writes other values of a member.
  private mutating func replace(_ found: (slot: Int, place: Int), with member: Member) {
    let inviter = inviter(of: member)
    let length = MemberRecord.length(in: records, at: found.place)
    let start = records.count
    reserveRecord()
    MemberRecord.append(member, inviter, to: &records)
    if records.count - start == length {
      replaceRecord(at: found.place, withLast: length)
    } else {
      MemberRecord.markRemoved(in: &records, at: found.place)
      index[found.slot] = UInt32(start + 1)
      unusedByteCount += length
      compact()
    }
  }

  private mutating func inviter(of member: Member) -> MemberRecord.Inviter {
    guard let id = member.inviterID else { return .none }
    if let number = inviterIDs.firstIndex(where: { $0.utf8.elementsEqual(id.utf8) }) {
      return .number(number)
    }
    guard inviterIDs.count < Self.inviterLimit else { return .id(id) }
    inviterIDs.append(id)
    return .number(inviterIDs.count - 1)
  }

  /// Moves the last record to the place of another one of the same length.
  ///
  /// In place, because each message changes the record of its author: a slice of the array would have the whole
  /// array copied.
  private mutating func replaceRecord(at place: Int, withLast length: Int) {
    records.withUnsafeMutableBytes { bytes in
      let last = UnsafeRawBufferPointer(rebasing: bytes[(bytes.count - length)...])
      UnsafeMutableRawBufferPointer(rebasing: bytes[place..<(place + length)])
        .copyMemory(from: last)
    }
    records.removeLast(length)
  }

  /// Grows the records by an eighth when they are full: doubling would leave up to half unused.
  private mutating func reserveRecord() {
    guard records.count > Self.smallestManaged,
      records.capacity - records.count < MemberRecord.largestByteCount
    else { return }
    // Growing the array itself would double it.
    var grown: [UInt8] = []
    grown.reserveCapacity(records.count + records.count / 8 + MemberRecord.largestByteCount)
    grown += records
    records = grown
  }

  /// Writes the records again without removed ones, once these take an eighth.
  private mutating func compact() {
    guard unusedByteCount > max(Self.smallestUnused, records.count / 8) else { return }
    var kept: [UInt8] = []
    kept.reserveCapacity(records.count - unusedByteCount + MemberRecord.largestByteCount)
    var place = 0
    while place < records.count {
      let next = place + MemberRecord.length(in: records, at: place)
      if !MemberRecord.isRemoved(in: records, at: place) {
        kept.append(contentsOf: records[place..<next])
      }
      place = next
    }
    records = kept
    unusedByteCount = 0
    rebuildIndex(for: 0)
  }

  // MARK: Index

  private func find(_ userID: String) -> (slot: Int, place: Int)? {
    guard count > 0 else { return nil }
    var userID = userID
    return userID.withUTF8 { id in
      var slot = slot(of: id)
      while index[slot] != 0 {
        let place = Int(index[slot]) - 1
        if index[slot] != Self.removed, MemberRecord.has(id, in: records, at: place) {
          return (slot, place)
        }
        slot = (slot + 1) & (index.count - 1)
      }
      return nil
    }
  }

  /// The first slot for an id.
  ///
  /// The hash is seeded, so that no choice of ids makes searches slow.
  private func slot(of id: UnsafeBufferPointer<UInt8>) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(id))
    return hasher.finalize() & (index.count - 1)
  }

  /// Adds a record that the index does not have.
  private mutating func link(_ place: Int) {
    var slot = MemberRecord.withID(in: records, at: place) { self.slot(of: $0) }
    while index[slot] != 0, index[slot] != Self.removed { slot = (slot + 1) & (index.count - 1) }
    if index[slot] == 0 { usedSlotCount += 1 }
    index[slot] = UInt32(place + 1)
  }

  /// Makes an index for the records and for some more: a power of two, of which at most seven eighths are
  /// used.
  private mutating func rebuildIndex(for newCount: Int) {
    var size = 4
    while (count + newCount) * 8 > size * 7 { size *= 2 }
    index = [UInt32](repeating: 0, count: size)
    usedSlotCount = 0
    var place = 0
    while place < records.count {
      if !MemberRecord.isRemoved(in: records, at: place) { link(place) }
      place += MemberRecord.length(in: records, at: place)
    }
  }
}
