internal import Reactor

/// The reason why a file could not be read, as a short text.
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
    do throws(SystemError) {
      return try FileContents.read(path, atMost: maximumBytes + 1)
    } catch {
      throw FileFailure(reason: error.reason)
    }
  }
}
