internal import ParleyProtocol

/// The time zones of the system by their names, read on demand.
///
/// Unknown names are remembered as well. Both are bounded: the system has some 600 zones.
package struct TimeZoneTable: Sendable {
  /// The folders in which systems keep the files of time zones, in order of preference.
  package static let folders = ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"]
  private static let countLimit = 2_048

  private var zones: [String: TimeZoneRules?] = [:]

  package init() {}

  /// The zone with that name; `nil` when there is none.
  ///
  /// - Parameter read: Reads a file, at most ``TimeZoneFile/byteLimit`` bytes and one; returns `nil` when
  ///   it cannot be read.
  package mutating func zone(
    _ name: String, reading read: (_ path: String) -> [UInt8]?
  ) -> TimeZoneRules? {
    if name == "UTC" { return .utc }
    if let known = zones[name] { return known }
    guard TimeZoneName.isValid(name) else { return nil }
    let zone = Self.read(name, read)
    if zones.count >= Self.countLimit { zones = [:] }
    zones[name] = .some(zone)
    return zone
  }

  private static func read(
    _ name: String, _ read: (_ path: String) -> [UInt8]?
  ) -> TimeZoneRules? {
    for folder in folders {
      if let bytes = read("\(folder)/\(name)") { return try? TimeZoneFile.rules(bytes) }
    }
    return nil
  }
}
