import Synchronization

/// The files that are received over several requests on this server, at most one for each id.
///
/// A request whose claim was taken over may still have pending work, which would write to the same file
/// as the new request.
final class PartialFiles: Sendable {
  private struct Entry {
    weak var file: DirectoryPartialFile?
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Registers a file that is being opened.
  ///
  /// - Returns: The file that it replaces, which must be retired first.
  func enter(_ file: DirectoryPartialFile, _ id: String) -> DirectoryPartialFile? {
    entries.withLock { $0.updateValue(Entry(file: file), forKey: id)?.file }
  }

  /// Removes a released file from the register.
  func leave(_ id: String) {
    entries.withLock { if $0[id]?.file == nil { $0[id] = nil } }
  }
}
