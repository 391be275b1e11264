import ParleyProtocol

/// A member as bytes: its id with the length, flags, then the values that are not at their default.
///
/// Numbers are in seven bits a byte, the lowest first.
enum MemberRecord {
  /// How a record names the user who invited the member.
  enum Inviter {
    case none
    /// By the number in the table.
    case number(Int)
    case id(String)
  }

  private struct Flags: OptionSet {
    /// In three bytes.
    let rawValue: UInt32

    static let isRemoved = Flags(rawValue: 1)
    static let isJoined = Flags(rawValue: 1 << 1)
    static let hasJoinedAt = Flags(rawValue: 1 << 2)
    static let hasInvitedAt = Flags(rawValue: 1 << 3)
    static let invitedOnJoining = Flags(rawValue: 1 << 4)
    static let hasVisibleFrom = Flags(rawValue: 1 << 5)
    static let visibleFromJoining = Flags(rawValue: 1 << 6)
    static let hasInviterNumber = Flags(rawValue: 1 << 7)
    static let hasInviterID = Flags(rawValue: 1 << 8)
    static let hasRead = Flags(rawValue: 1 << 9)
    static let hasFloor = Flags(rawValue: 1 << 10)
    static let hasOwnAfter = Flags(rawValue: 1 << 11)
    static let isHiddenUntilMessage = Flags(rawValue: 1 << 12)
    static let isArchived = Flags(rawValue: 1 << 13)
    /// The preference, in two bits.
    static let preference = Flags(rawValue: 3 << 14)
    static let blocksInviter = Flags(rawValue: 1 << 16)
    static let hidesReads = Flags(rawValue: 1 << 17)
    static let hasDelivered = Flags(rawValue: 1 << 18)
    /// The choice of pushes, in two bits.
    static let pushTrigger = Flags(rawValue: 3 << 19)
  }

  /// An upper bound: two ids of 80 scalars, and ten numbers.
  static let largestByteCount = 2 * (2 + 4 * Limits.userIDLength) + 3 + 10 * 10

  // MARK: Parts

  static func state(in records: [UInt8], at place: Int) -> MemberState {
    var reader = Reader(records, place)
    reader.skipID()
    return reader.flags().contains(.isJoined) ? .joined : .invited
  }

  static func isRemoved(in records: [UInt8], at place: Int) -> Bool {
    var reader = Reader(records, place)
    reader.skipID()
    return reader.flags().contains(.isRemoved)
  }

  static func markRemoved(in records: inout [UInt8], at place: Int) {
    var reader = Reader(records, place)
    reader.skipID()
    let flags = reader.place
    reader = Reader([], 0)
    records[flags] |= UInt8(truncatingIfNeeded: Flags.isRemoved.rawValue)
  }

  static func userID(in records: [UInt8], at place: Int) -> String {
    withID(in: records, at: place) { String(decoding: $0, as: UTF8.self) }
  }

  static func withID<Result>(
    in records: [UInt8], at place: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
  ) -> Result {
    var reader = Reader(records, place)
    let range = reader.idRange()
    return records.withUnsafeBufferPointer { body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  static func has(_ id: UnsafeBufferPointer<UInt8>, in records: [UInt8], at place: Int) -> Bool {
    withID(in: records, at: place) { $0.count == id.count && $0.elementsEqual(id) }
  }

  /// The bytes of a record, removed or not.
  static func length(in records: [UInt8], at place: Int) -> Int {
    var reader = Reader(records, place)
    reader.skipID()
    let flags = reader.flags()
    let numbers: [(Flags, Int)] = [
      (.hasJoinedAt, 1), (.hasInvitedAt, 1), (.hasVisibleFrom, 1), (.hasRead, 2), (.hasFloor, 1),
      (.hasOwnAfter, 1), (.hasDelivered, 1), (.isHiddenUntilMessage, 1), (.hasInviterNumber, 1),
    ]
    for (flag, count) in numbers where flags.contains(flag) {
      for _ in 0..<count { _ = reader.number() }
    }
    if flags.contains(.hasInviterID) { reader.skipID() }
    return reader.place - place
  }

  // MARK: Members

  static func append(_ member: Member, _ inviter: Inviter, to records: inout [UInt8]) {
    let position = member.position
    var flags = Flags()
    if member.state == .joined { flags.insert(.isJoined) }
    if member.joinedAt != 0 { flags.insert(.hasJoinedAt) }
    if member.invitedAt != 0 {
      flags.insert(member.invitedAt == member.joinedAt ? .invitedOnJoining : .hasInvitedAt)
    }
    if member.visibleFrom != 0 {
      flags.insert(member.visibleFrom == member.joinedAt ? .visibleFromJoining : .hasVisibleFrom)
    }
    if position.ordinal != 0 || position.readAt != 0 { flags.insert(.hasRead) }
    if position.floor != 0 { flags.insert(.hasFloor) }
    if position.ownAfter != 0 { flags.insert(.hasOwnAfter) }
    if member.deliveredAt != 0 { flags.insert(.hasDelivered) }
    switch member.hiding {
    case .unhidden: break
    case .untilMessage: flags.insert(.isHiddenUntilMessage)
    case .archived: flags.insert(.isArchived)
    }
    if member.blocksInviter { flags.insert(.blocksInviter) }
    if member.hidesReads { flags.insert(.hidesReads) }
    switch inviter {
    case .none: break
    case .number: flags.insert(.hasInviterNumber)
    case .id: flags.insert(.hasInviterID)
    }
    let bits =
      flags.rawValue | member.countPreference.bits << 14 | member.pushTrigger.bits << 19

    append(member.user.id, to: &records)
    records.append(UInt8(truncatingIfNeeded: bits))
    records.append(UInt8(truncatingIfNeeded: bits >> 8))
    records.append(UInt8(truncatingIfNeeded: bits >> 16))
    if flags.contains(.hasJoinedAt) { append(member.joinedAt, to: &records) }
    if flags.contains(.hasInvitedAt) { append(member.invitedAt, to: &records) }
    if flags.contains(.hasVisibleFrom) { append(member.visibleFrom, to: &records) }
    if flags.contains(.hasRead) {
      append(position.ordinal, to: &records)
      append(position.readAt, to: &records)
    }
    if flags.contains(.hasFloor) { append(position.floor, to: &records) }
    if flags.contains(.hasOwnAfter) { append(position.ownAfter, to: &records) }
    if flags.contains(.hasDelivered) { append(member.deliveredAt, to: &records) }
    if case .untilMessage(let ordinal) = member.hiding { append(ordinal, to: &records) }
    switch inviter {
    case .none: break
    case .number(let number): append(Int64(number), to: &records)
    case .id(let id): append(id, to: &records)
    }
  }

  /// - Parameter inviterID: Returns the inviter of a number.
  static func member(
    in records: [UInt8], at place: Int, inviterID: (Int) -> String
  ) -> Member {
    var reader = Reader(records, place)
    let id = reader.text()
    let flags = reader.flags()
    var member = Member(
      user: User(id: id), state: flags.contains(.isJoined) ? .joined : .invited,
      countPreference: CountPreference(bits: flags.intersection(.preference).rawValue >> 14))
    if flags.contains(.hasJoinedAt) { member.joinedAt = reader.number() }
    if flags.contains(.hasInvitedAt) { member.invitedAt = reader.number() }
    if flags.contains(.invitedOnJoining) { member.invitedAt = member.joinedAt }
    if flags.contains(.hasVisibleFrom) { member.visibleFrom = reader.number() }
    if flags.contains(.visibleFromJoining) { member.visibleFrom = member.joinedAt }
    if flags.contains(.hasRead) {
      member.position.ordinal = reader.number()
      member.position.readAt = reader.number()
    }
    if flags.contains(.hasFloor) { member.position.floor = reader.number() }
    if flags.contains(.hasOwnAfter) { member.position.ownAfter = reader.number() }
    if flags.contains(.hasDelivered) { member.deliveredAt = reader.number() }
    if flags.contains(.isHiddenUntilMessage) {
      member.hiding = .untilMessage(after: reader.number())
    }
    if flags.contains(.isArchived) { member.hiding = .archived }
    member.pushTrigger = ChannelPushTriggerOption(
      bits: flags.intersection(.pushTrigger).rawValue >> 19)
    member.blocksInviter = flags.contains(.blocksInviter)
    member.hidesReads = flags.contains(.hidesReads)
    if flags.contains(.hasInviterNumber) { member.inviterID = inviterID(Int(reader.number())) }
    if flags.contains(.hasInviterID) { member.inviterID = reader.text() }
    return member
  }

  // MARK: Values

  private static func append(_ text: String, to records: inout [UInt8]) {
    append(Int64(text.utf8.count), to: &records)
    records.append(contentsOf: text.utf8)
  }

  private static func append(_ number: Int64, to records: inout [UInt8]) {
    var rest = UInt64(bitPattern: number)
    while rest >= 0x80 {
      records.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    records.append(UInt8(rest))
  }

  private struct Reader {
    private let records: [UInt8]
    private(set) var place: Int

    init(_ records: [UInt8], _ place: Int) {
      self.records = records
      self.place = place
    }

    mutating func number() -> Int64 {
      var (number, shift) = (UInt64(0), UInt64(0))
      while true {
        let byte = records[place]
        place += 1
        number |= UInt64(byte & 0x7f) << shift
        if byte < 0x80 { return Int64(bitPattern: number) }
        shift += 7
      }
    }

    mutating func flags() -> Flags {
      defer { place += 3 }
      return Flags(
        rawValue: UInt32(records[place]) | UInt32(records[place + 1]) << 8
          | UInt32(records[place + 2]) << 16)
    }

    /// Reads the length of an id, and skips the id.
    mutating func idRange() -> Range<Int> {
      let length = Int(number())
      defer { place += length }
      return place..<(place + length)
    }

    mutating func skipID() { _ = idRange() }

    mutating func text() -> String { String(decoding: records[idRange()], as: UTF8.self) }
  }
}

extension CountPreference {
  fileprivate var bits: UInt32 {
    switch self {
    case .all: 0
    case .messagesOnly: 1
    case .mentionsOnly: 2
    case .off: 3
    }
  }

  fileprivate init(bits: UInt32) { self = Self.allCases.first { $0.bits == bits } ?? .all }
}

extension ChannelPushTriggerOption {
  fileprivate var bits: UInt32 {
    switch self {
    case .default: 0
    case .all: 1
    case .mentionOnly: 2
    case .off: 3
    }
  }

  fileprivate init(bits: UInt32) { self = Self.allCases.first { $0.bits == bits } ?? .default }
}
