internal import ArgumentParser
internal import Glibc
internal import LoadGenerator
internal import Reactor

/// The files that reports are read from and written to.
enum ReportFile {
  /// Reads a report as JSON from a file, or from the folder that contains it.
  static func read(_ path: String) throws -> [UInt8] {
    let limit = ReportDigest.maximumBytes
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try contents(path, limit + 1)
    } catch {
      throw ValidationError(
        "\(path) cannot be read: \(error); the folder of a report or its report.json is expected")
    }
    guard bytes.count <= limit else {
      throw ValidationError("\(path) has more than \(limit) bytes; report.json is expected")
    }
    return bytes
  }

  private static func contents(_ path: String, _ limit: Int) throws(SystemError) -> [UInt8] {
    do throws(SystemError) {
      return try FileContents.read(path, atMost: limit)
    } catch {
      guard error.code == EISDIR else { throw error }
      return try FileContents.read(path + "/report.json", atMost: limit)
    }
  }

  /// Writes a file, replacing an existing one.
  ///
  /// - Parameter option: The option that named the file, for errors.
  static func write(_ bytes: [UInt8], to path: String, for option: String) throws {
    guard let file = fopen(path, "we") else { throw failure(path, option) }
    let written = fwrite(bytes, 1, bytes.count, file)
    let isClosed = fclose(file) == 0
    guard written == bytes.count, isClosed else { throw failure(path, option) }
  }

  private static func failure(_ path: String, _ option: String) -> ValidationError {
    ValidationError("\(option): \(path) cannot be written: \(String(cString: strerror(errno)))")
  }
}
