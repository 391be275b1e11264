internal import Glibc

/// Why a file could not be read, in a few words.
package struct FileFailure: Error, Equatable {
  package let reason: String

  package init(reason: String) {
    self.reason = reason
  }
}

/// The configuration file as the system gives it.
package enum SettingsFile {
  /// The largest file that is looked at.
  package static let maximumBytes = 262_144

  /// Reads a file, but never more than one byte beyond the largest size allowed.
  package static func read(_ path: String) throws(FileFailure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileFailure(reason: reason(errno)) }
    defer { close(descriptor) }
    return try readAll(descriptor)
  }

  private static func readAll(_ descriptor: Int32) throws(FileFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: maximumBytes + 1)
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: filled), buffer.count - filled)
      }
      if count < 0 {
        guard errno == EINTR else { throw FileFailure(reason: reason(errno)) }
        continue
      }
      guard count > 0 else { break }
      filled += count
    }
    return Array(bytes[..<filled])
  }

  private static func reason(_ code: Int32) -> String {
    String(cString: strerror(code))
  }
}
