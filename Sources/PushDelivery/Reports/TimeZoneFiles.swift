import Glibc
import Push

/// The files of the system's time zones.
package enum TimeZoneFiles {
  /// Reads a file, at most one byte more than a time zone's file may have; `nil` when it cannot be read.
  package static func read(_ path: String) -> [UInt8]? {
    guard let file = fopen(path, "rbe") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: TimeZoneFile.byteLimit + 1)
    let count = fread(&bytes, 1, bytes.count, file)
    return ferror(file) == 0 ? Array(bytes.prefix(count)) : nil
  }
}
