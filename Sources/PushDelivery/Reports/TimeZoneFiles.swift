import Push
import Reactor

/// The files of the system's time zones.
package enum TimeZoneFiles {
  /// Reads a file, at most one byte more than a time zone's file may have; `nil` when it cannot be read.
  package static func read(_ path: String) -> [UInt8]? {
    try? FileContents.read(path, atMost: TimeZoneFile.byteLimit + 1)
  }
}
