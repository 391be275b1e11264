import Foundation
import ParleyProtocol
import TestSupport
import Testing

@testable import Push

@Suite("Files of time zones", .onOwnThreads)
struct TimeZoneFileTests {
  private static let folder = "/usr/share/zoneinfo"
  static let isInstalled = FileManager.default.fileExists(atPath: folder + "/Europe/Berlin")

  /// The names of the system's zones.
  private static func names() -> [String] {
    let all = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    let folders: Set<String> = ["right", "posix"]
    return all.filter { name in
      !folders.contains(String(name.prefix { $0 != "/" })) && TimeZoneName.isValid(name)
        && (try? read(name).prefix(4).elementsEqual("TZif".utf8)) == true
    }.sorted()
  }

  private static func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")))
  }

  /// The offsets that the system's `date` prints for times in a zone.
  private static func offsets(_ zone: String, _ times: [Int64]) throws -> [Int] {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("times-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let lines = times.map { "@\($0)\n" }.joined()
    try lines.write(toFile: path, atomically: true, encoding: .utf8)
    let program = try SpawnedProgram(
      "/usr/bin/env", arguments: ["TZ=:\(zone)", "date", "-f", path, "+%::z"])
    var output: [UInt8] = []
    while true {
      let bytes = try program.read()
      guard !bytes.isEmpty else { break }
      output += bytes
    }
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.dropFirst().split(separator: ":").compactMap { Int($0) }
      let seconds = parts.reduce(0) { $0 * 60 + $1 }
      return line.hasPrefix("-") ? -seconds : seconds
    }
  }

  @Test("all zones of the system agree with its date", .enabled(if: isInstalled))
  func allZones() throws {
    let names = Self.names()
    #expect(names.count > 100)
    var generator = SeededGenerator(seed: 8_536)
    let always = ["Europe/Berlin", "Europe/Dublin", "America/New_York", "Australia/Lord_Howe"]
    for name in always + names.filter({ _ in generator.oneIn(5) }) {
      let rules = try TimeZoneFile.rules(try Self.read(name))
      // From 1901 to 2500: beyond the tables too.
      let times = (0..<200).map { _ in
        Int64.random(in: -2_170_000_000...16_700_000_000, using: &generator)
      }
      let expected = try Self.offsets(name, times)
      #expect(times.map { rules.offset(at: $0) } == expected, "\(name)")
    }
  }

  @Test("both changes of a year, to the second", .enabled(if: isInstalled))
  func changes() throws {
    for name in ["Europe/Berlin", "America/New_York", "Australia/Sydney", "Asia/Kolkata"] {
      let rules = try TimeZoneFile.rules(try Self.read(name))
      for year in [Int64(1_767_225_600), 2_240_611_200, 4_102_444_800] {
        let hours: [Int64] = (0..<8_784).map { year + $0 * 3_600 }
        let times = hours + hours.map { $0 - 1 }
        #expect(times.map { rules.offset(at: $0) } == (try Self.offsets(name, times)), "\(name)")
      }
    }
  }

  @Test("version 1 data alone, as old systems have them")
  func versionOne() throws {
    let bytes = TimeZoneBytes(
      version: 0, times: [0, 1_000], indexes: [1, 0], offsets: [-60, 3_600])
    let rules = try TimeZoneFile.rules(bytes.short)
    #expect(rules.offset(at: -1) == -60)
    #expect(rules.offset(at: 0) == 3_600)
    #expect(rules.offset(at: 999) == 3_600)
    #expect(rules.offset(at: 1_000) == -60)
    #expect(rules.offset(at: .max) == -60)
  }

  @Test("versions 2 to 4 with their rule", arguments: [UInt8(ascii: "2"), 0x33, 0x34])
  func laterVersions(version: UInt8) throws {
    var bytes = TimeZoneBytes(version: version, times: [0], indexes: [0], offsets: [3_600])
    bytes.rule = "CET-1CEST,M3.5.0,M10.5.0/3"
    let rules = try TimeZoneFile.rules(bytes.long)
    #expect(rules.offset(at: -1) == 3_600)
    #expect(rules.offset(at: 1_782_864_000) == 7_200)
    bytes.rule = ""
    #expect(try TimeZoneFile.rules(bytes.long).offset(at: 1_782_864_000) == 3_600)
    bytes.times = []
    bytes.indexes = []
    bytes.rule = "<+0545>-5:45"
    #expect(try TimeZoneFile.rules(bytes.long).offset(at: -1) == 20_700)
  }

  @Test("malformed files are refused, with the reason")
  func malformed() throws {
    let good = TimeZoneBytes(version: 0x32, times: [0], indexes: [0], offsets: [3_600])
    func error(_ change: (inout TimeZoneBytes) -> Void) -> TimeZoneFileError? {
      var bytes = good
      change(&bytes)
      do throws(TimeZoneFileError) { _ = try TimeZoneFile.rules(bytes.long) } catch { return error }
      return nil
    }
    #expect(error { _ in } == nil)
    #expect(error { $0.magic = "TZiF" } == .unknownFormat)
    #expect(error { $0.version = 0x35 } == .unknownFormat)
    #expect(error { $0.leapCount = 1 } == .leapSeconds)
    #expect(error { $0.offsets = [] } == .inconsistent)
    #expect(error { $0.indexes = [1] } == .inconsistent)
    #expect(error { $0.offsets = [93_600] } == .inconsistent)
    #expect(error { $0.offsets = [-90_000] } == .inconsistent)
    #expect(error { ($0.times, $0.indexes) = ([5, 5], [0, 0]) } == .inconsistent)
    #expect(error { ($0.times, $0.indexes) = ([5, 4], [0, 0]) } == .inconsistent)
    #expect(error { $0.rule = "CET" } == .badRule)
    for count in good.long.indices {
      #expect(throws: TimeZoneFileError.self) {
        try TimeZoneFile.rules(Array(good.long.prefix(count)))
      }
    }
    let large = [UInt8](repeating: 0, count: TimeZoneFile.byteLimit + 1)
    #expect(throws: TimeZoneFileError.tooLarge) { try TimeZoneFile.rules(large) }
    var huge = good.long
    huge[32...35] = [0xff, 0xff, 0xff, 0xff]
    #expect(throws: TimeZoneFileError.inconsistent) { try TimeZoneFile.rules(huge) }
  }

  @Test("changed bytes never trap, and offsets stay within a day and a bit")
  func mutations() {
    var base = TimeZoneBytes(
      version: 0x33, times: [-5, 0, 9, 1_000_000], indexes: [0, 1, 0, 1], offsets: [3_600, 7_200])
    base.rule = "CET-1CEST,M3.5.0,M10.5.0/3"
    var generator = SeededGenerator(seed: 9)
    var accepted = 0
    for _ in 0..<20_000 {
      var bytes = base.long
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = generator.bytes(1)[0]
      }
      guard let rules = try? TimeZoneFile.rules(bytes) else { continue }
      accepted += 1
      for time in [Int64.min, -1, 0, 1_782_864_000, .max] {
        #expect(abs(rules.offset(at: time)) < 100_000)
      }
    }
    #expect(accepted > 1_000)
  }

  @Test("names are found once, below the folder, and remembered")
  func table() throws {
    var table = TimeZoneTable()
    var paths: [String] = []
    let file = TimeZoneBytes(version: 0x32, times: [], indexes: [], offsets: [3_600]).long
    func zone(_ name: String) -> TimeZoneRules? {
      table.zone(name) { path in
        paths.append(path)
        return path == "/usr/lib/zoneinfo/Europe/Paris" ? file : nil
      }
    }
    #expect(zone("Europe/Paris")?.offset(at: 0) == 3_600)
    #expect(zone("Europe/Paris")?.offset(at: 0) == 3_600)
    #expect(paths == ["/usr/share/zoneinfo/Europe/Paris", "/usr/lib/zoneinfo/Europe/Paris"])
    #expect(zone("UTC") == .utc)
    #expect(zone("Europe/Atlantis") == nil && zone("Europe/Atlantis") == nil)
    #expect(paths.count == 5)
    for name in [
      "", "..", "../../etc/passwd", "/etc/passwd", "Europe/../x", "a//b", "Europe/", "a.b",
    ] {
      #expect(zone(name) == nil)
    }
    #expect(paths.count == 5)
  }
}

/// A TZif file that is put together.
private struct TimeZoneBytes {
  var magic = "TZif"
  var version: UInt8
  var times: [Int64]
  var indexes: [UInt8]
  var offsets: [Int32]
  var leapCount = 0
  var rule = ""

  init(version: UInt8, times: [Int64], indexes: [UInt8], offsets: [Int32]) {
    self.version = version
    self.times = times
    self.indexes = indexes
    self.offsets = offsets
  }

  /// With the times of version 1.
  var short: [UInt8] { block(timeByteCount: 4) }

  /// With an empty block of version 1, and a footer.
  var long: [UInt8] {
    let empty = TimeZoneBytes(version: version, times: [], indexes: [], offsets: [0])
    return empty.short + block(timeByteCount: 8) + Array("\n\(rule)\n".utf8)
  }

  private func block(timeByteCount: Int) -> [UInt8] {
    let counts = [0, 0, leapCount, times.count, offsets.count, 1]
    return Array(magic.utf8) + [version] + [UInt8](repeating: 0, count: 15)
      + counts.flatMap { Self.bigEndian(Int64($0), 4) }
      + times.flatMap { Self.bigEndian($0, timeByteCount) } + indexes
      + offsets.flatMap { Self.bigEndian(Int64($0), 4) + [0, 0] } + [0]
      + [UInt8](repeating: 0, count: leapCount * (timeByteCount + 4))
  }

  private static func bigEndian(_ number: Int64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> Int64(8 * (count - 1 - $0))) }
  }
}
