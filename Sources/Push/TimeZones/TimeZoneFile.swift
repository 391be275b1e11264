/// Parses a TZif file (RFC 8536) of the versions 1 to 4.
package enum TimeZoneFile {
  /// The largest file; those of the system have up to 4 KiB.
  package static let byteLimit = 65_536

  /// The rules in a file.
  package static func rules(_ bytes: [UInt8]) throws(TimeZoneFileError) -> TimeZoneRules {
    guard bytes.count <= byteLimit else { throw .tooLarge }
    var reader = TimeZoneReader(bytes: bytes)
    let first = try reader.header()
    guard first.version > 1 else {
      return try reader.rules(first, timeByteCount: 4, rule: nil)
    }
    // Version 1 data come first for old programs.
    try reader.skip(first.byteCount(timeByteCount: 4))
    let second = try reader.header()
    let data = reader
    try reader.skip(second.byteCount(timeByteCount: 8))
    let rule = try reader.footer()
    reader = data
    return try reader.rules(second, timeByteCount: 8, rule: rule)
  }
}

/// The reason why a file has no time zone.
package enum TimeZoneFileError: Error, Sendable, Hashable {
  case tooLarge
  /// The file ends early.
  case truncated
  /// It does not begin like a TZif file of a known version.
  case unknownFormat
  /// Its times count leap seconds, which Unix times do not.
  case leapSeconds
  /// A number is outside its range, or times are not ascending.
  case inconsistent
  /// The rule for later times is malformed.
  case badRule
}

/// The numbers of items in a block of data.
private struct TimeZoneHeader {
  var version: Int
  var utcFlagCount: Int
  var standardFlagCount: Int
  var leapCount: Int
  var timeCount: Int
  var typeCount: Int
  var nameByteCount: Int

  func byteCount(timeByteCount: Int) -> Int {
    timeCount * (timeByteCount + 1) + typeCount * 6 + nameByteCount
      + leapCount * (timeByteCount + 4) + standardFlagCount + utcFlagCount
  }
}

private struct TimeZoneReader {
  let bytes: [UInt8]
  private var position = 0

  /// The range of offsets that RFC 8536 §3.2 recommends: somewhat more than a day.
  private static let offsets: ClosedRange<Int64> = -89_999...93_599
  private static let typeLimit = 256
  /// No count of a file within the limit is higher, so sums of products cannot overflow.
  private static let countLimit: UInt64 = 65_536

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func header() throws(TimeZoneFileError) -> TimeZoneHeader {
    let start = try take(44)
    guard start.prefix(4).elementsEqual("TZif".utf8) else { throw .unknownFormat }
    let version: Int
    switch start[start.startIndex + 4] {
    case 0: version = 1
    case UInt8(ascii: "2")...UInt8(ascii: "4"): version = 2
    default: throw .unknownFormat
    }
    var counts: [Int] = []
    for index in 0..<6 {
      let count = Self.number(start[(start.startIndex + 20 + 4 * index)...].prefix(4))
      guard count < Self.countLimit else { throw .inconsistent }
      counts.append(Int(count))
    }
    return TimeZoneHeader(
      version: version, utcFlagCount: counts[0], standardFlagCount: counts[1],
      leapCount: counts[2], timeCount: counts[3], typeCount: counts[4], nameByteCount: counts[5])
  }

  mutating func rules(
    _ header: TimeZoneHeader, timeByteCount: Int, rule: TimeZoneRule?
  ) throws(TimeZoneFileError) -> TimeZoneRules {
    guard header.leapCount == 0 else { throw .leapSeconds }
    guard (1...Self.typeLimit).contains(header.typeCount) else { throw .inconsistent }
    var transitions: [Int64] = []
    for _ in 0..<header.timeCount {
      let time = Self.signed(try take(timeByteCount))
      if let last = transitions.last, time <= last { throw .inconsistent }
      transitions.append(time)
    }
    let indexes = try take(header.timeCount)
    var types: [Int32] = []
    for _ in 0..<header.typeCount {
      let offset = Self.signed(try take(6).prefix(4))
      guard Self.offsets.contains(offset) else { throw .inconsistent }
      types.append(Int32(offset))
    }
    guard indexes.allSatisfy({ $0 < types.count }), let first = types.first else {
      throw .inconsistent
    }
    return TimeZoneRules(
      transitions: transitions, offsets: indexes.map { types[Int($0)] }, firstOffset: first,
      rule: rule)
  }

  /// The rule between two line feeds; `nil` for an empty one.
  mutating func footer() throws(TimeZoneFileError) -> TimeZoneRule? {
    let lineFeed = UInt8(ascii: "\n")
    guard try take(1).first == lineFeed else { throw .badRule }
    guard let end = bytes[position...].firstIndex(of: lineFeed) else { throw .truncated }
    let text = bytes[position..<end]
    guard !text.isEmpty else { return nil }
    guard let rule = TimeZoneRule(text) else { throw .badRule }
    return rule
  }

  mutating func skip(_ count: Int) throws(TimeZoneFileError) { _ = try take(count) }

  private mutating func take(_ count: Int) throws(TimeZoneFileError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw .truncated }
    defer { position += count }
    return bytes[position..<position + count]
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A big-endian number in two's complement.
  private static func signed(_ bytes: ArraySlice<UInt8>) -> Int64 {
    let shift = Int64(64 - 8 * bytes.count)
    return Int64(bitPattern: number(bytes) << UInt64(shift)) >> shift
  }
}
