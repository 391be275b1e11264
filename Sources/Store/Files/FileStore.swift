package import Reactor
import Synchronization

/// The files of messages: received, kept and read back.
///
/// Writes run on one thread of their own, so that no event loop waits for the disk.
package final class FileStore: Sendable {
  private let directory: FileDirectory
  private let jobs = JobQueue<FileJob>(capacity: 65_536)
  private let thread: Mutex<Reactor.Thread?>
  /// The files that were there when the store was opened, some of which may belong to no message.
  private let suspects: [String]

  /// Opens the files of a data directory, whose lock the store must hold.
  package init(dataDirectory: String) throws {
    directory = FileDirectory(dataDirectory: dataDirectory)
    try directory.prepare()
    suspects = directory.ids()
    let jobs = jobs
    thread = Mutex(
      try Reactor.Thread(name: "files") {
        while case .jobs(let taken) = jobs.take(upTo: 1) {
          for job in taken { job() }
        }
      })
  }

  deinit {
    jobs.close()
  }

  /// Begins to receive a file.
  package func beginUpload() -> FileUpload {
    FileUpload(id: FileID.make(), directory: directory, jobs: jobs)
  }

  /// Opens a file to be sent; it stays readable until it is let go, even when it is removed.
  package func open(_ id: String) throws(SystemError) -> OpenFile {
    try OpenFile(readingFrom: directory.path(of: id))
  }

  /// Removes a complete file that no message came to have.
  package func remove(_ id: String) {
    let directory = directory
    _ = jobs.submit { directory.remove(id) }
  }

  /// Removes the files that were complete when an earlier process ended, but whose messages were not
  /// stored.
  ///
  /// Only what was there at the beginning is looked at: no file that is received now is among it.
  package func collectOrphans(in store: Store) {
    collect(suspects[...], in: store)
  }

  /// Carries out what was asked for, and ends.
  ///
  /// Blocks meanwhile.
  package func close() {
    jobs.close()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  private static let batch = 500

  private func collect(_ ids: ArraySlice<String>, in store: Store) {
    guard !ids.isEmpty else { return }
    let (now, later) = (Array(ids.prefix(Self.batch)), ids.dropFirst(Self.batch))
    store.lookUp {
      try $0.knownFiles(now)
    } completion: { [self, weak store] result in
      guard case .success(let known) = result, let store else { return }
      for id in now where !known.contains(id) { remove(id) }
      collect(later, in: store)
    }
  }
}

/// Something to be done on the thread of files.
typealias FileJob = @Sendable () -> Void
