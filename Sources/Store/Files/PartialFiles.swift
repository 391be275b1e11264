import Synchronization

/// The files that are received over several requests on this server, at most one for each id.
///
/// A request whose claim was taken over may still have work before it, which would go into the same file
/// as that of its successor.
final class PartialFiles: Sendable {
  private struct Entry {
    weak var file: DirectoryPartialFile?
  }

  private let entries = Mutex<[String: Entry]>([:])

  /// Notes a file that is about to be opened.
  ///
  /// - Returns: The one that it takes the place of, which must be retired first.
  func enter(_ file: DirectoryPartialFile, _ id: String) -> DirectoryPartialFile? {
    entries.withLock { $0.updateValue(Entry(file: file), forKey: id)?.file }
  }

  /// Strikes off a file that was let go.
  func leave(_ id: String) {
    entries.withLock { if $0[id]?.file == nil { $0[id] = nil } }
  }
}
