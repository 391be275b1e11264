import Glibc
package import Reactor
import Synchronization

/// Files in a directory: the server's own, or one shared by several servers.
///
/// Writes run on separate threads, so that no event loop waits for the disk: files that come with
/// messages share one thread, and uploads of users run in parallel on others.
package final class DirectoryDepot: FileDepot {
  private let directory: FileDirectory
  private let reserve: Int64
  private let workers: FileWorkers
  private let jobs = JobQueue<FileJob>(capacity: 65_536)
  private let thread: Mutex<Reactor.Thread?>
  private let partials = PartialFiles()
  /// The complete files found at the start.
  private let found = Mutex<[String]>([])

  /// Maximum number of uploads whose bytes are written at the same time.
  private static let workerCount = 4

  /// Keeps files in a data directory that no other server uses in the meantime.
  ///
  /// - Parameter reserve: Bytes of the file system that uploads leave free.
  package convenience init(dataDirectory: String, reserve: Int64 = 0) throws(SystemError) {
    try self.init(FileDirectory(dataDirectory: dataDirectory), reserve: reserve)
  }

  /// Keeps files in a directory that other servers may use at the same time.
  ///
  /// - Parameter reserve: Bytes of the file system that uploads leave free.
  package convenience init(sharedDirectory: String, reserve: Int64 = 0) throws(SystemError) {
    try self.init(FileDirectory(sharedDirectory: sharedDirectory), reserve: reserve)
  }

  init(_ directory: FileDirectory, reserve: Int64 = 0) throws(SystemError) {
    self.directory = directory
    self.reserve = reserve
    workers = try FileWorkers(threadCount: Self.workerCount)
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

  package func prepare() throws {
    let remains = try directory.prepare()
    found.withLock { $0 = remains }
  }

  package func hasRoom(for byteCount: Int64) -> Bool {
    directory.hasRoom(for: byteCount, beside: reserve)
  }

  package func beginUpload(_ id: String) -> any FileUpload {
    DirectoryUpload(
      id: id, replacing: .nothing, reserve: reserve, directory: directory, jobs: jobs)
  }

  package func beginReplacement(of id: String) -> any FileUpload {
    // The file to be replaced frees as much room.
    DirectoryUpload(id: id, replacing: .file, reserve: 0, directory: directory, jobs: jobs)
  }

  package func continueUpload(
    _ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>
  ) {
    DirectoryPartialFile(request, in: directory, among: partials, reserve: reserve, on: workers)
      .open(completion: completion)
  }

  package func open(_ id: String) throws(FileReadError) -> ReadableFile {
    do throws(SystemError) {
      return .local(try OpenFile(readingFrom: directory.path(of: id)))
    } catch {
      throw error.code == ENOENT ? .missing : .unavailable(reason: "\(error)")
    }
  }

  package func remove(
    _ ids: [String], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    let directory = directory
    jobs.submit(completion) { for id in ids { directory.remove(id) } }
  }

  /// Reads a complete range of an unfinished file.
  package func readPartial(_ id: String, _ range: Range<Int64>) throws(SystemError) -> [UInt8] {
    let path = directory.partialPath(of: id)
    let bytes = try OpenFile(readingFrom: path).read(from: range.lowerBound, atMost: range.count)
    guard bytes.count == range.count else {
      throw SystemError(call: "read", code: EIO, object: path)
    }
    return bytes
  }

  /// Removes unfinished files unchanged for a day, in a place that holds only copies of them.
  package func removeAbandonedPartials() {
    let directory = directory
    _ = jobs.submit { try? directory.removeAbandonedPartials() }
  }

  package func suspects(
    after token: String?,
    completion: @escaping @Sendable (Result<FilePage, any Error>) -> Void
  ) {
    let ids = found.withLock { found in
      defer { found = [] }
      return found
    }
    completion(.success(FilePage(ids: ids, next: nil)))
  }

  package func close() {
    workers.close()
    jobs.close()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }
}

/// A file that is being received into a directory.
///
/// Its bytes go to a temporary place as they arrive. Requests run on the thread of files.
final class DirectoryUpload: FileUpload {
  let id: String
  private let replaced: ReplacedContent
  /// Its name in the temporary place.
  private let incomingID: String
  /// Bytes of the file system to keep free.
  private let reserve: Int64
  private let directory: FileDirectory
  private let jobs: JobQueue<FileJob>
  private let state = Mutex(State.waiting)

  private enum State {
    /// No bytes have arrived.
    case waiting
    case open(NewFile)
    /// The upload stays incomplete.
    case failed(SystemError)
    /// Complete, or discarded.
    case ended
  }

  init(
    id: String, replacing replaced: ReplacedContent, reserve: Int64, directory: FileDirectory,
    jobs: JobQueue<FileJob>
  ) {
    self.id = id
    self.replaced = replaced
    incomingID =
      switch replaced {
      case .nothing: id
      case .file: FileID.make()
      }
    self.reserve = reserve
    self.directory = directory
    self.jobs = jobs
  }

  // A full queue may have rejected the request to discard it.
  deinit {
    state.withLock { state in
      guard case .open = state else { return }
      state = .ended
      Kernel.unlink(path)
    }
  }

  /// None: bytes are acknowledged when the kernel has them.
  var heldByteCount: Int { 0 }

  func write(
    _ bytes: [UInt8], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    jobs.submit(completion) { [self] in
      try change { file throws(SystemError) in
        guard directory.hasRoom(for: Int64(bytes.count), beside: reserve) else {
          throw SystemError(call: "write", code: ENOSPC, object: path)
        }
        try file.append(bytes)
        return .open(file)
      }
    }
  }

  func complete(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    jobs.submit(completion) { [self] in
      try change { file throws(SystemError) in
        try file.synchronize()
        try directory.keep(id, from: incomingID, replacing: replaced)
        return .ended
      }
    }
  }

  func discard() {
    _ = jobs.submit { [self] in
      state.withLock { $0 = .ended }
      Kernel.unlink(path)
    }
  }

  /// Runs a change on the open file, and removes the file when that fails.
  private func change(
    _ body: (NewFile) throws(SystemError) -> State
  ) throws(SystemError) {
    try state.withLock { state throws(SystemError) in
      do throws(SystemError) {
        if case .waiting = state { state = .open(try NewFile(at: path)) }
        state = try body(try file(in: state))
      } catch {
        state = .failed(error)
        Kernel.unlink(path)
        throw error
      }
    }
  }

  private func file(in state: State) throws(SystemError) -> NewFile {
    switch state {
    case .open(let file): return file
    case .failed(let error): throw error
    case .waiting, .ended: throw SystemError(call: "write", code: EBADF, object: path)
    }
  }

  private var path: String { directory.incomingPath(of: incomingID) }
}

/// A job for the thread of files.
typealias FileJob = @Sendable () -> Void

extension JobQueue<FileJob> {
  /// Submits work, whose outcome is passed to `completion`.
  fileprivate func submit(
    _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void,
    _ work: @escaping @Sendable () throws -> Void
  ) {
    switch submit({ completion(Result { try work() }) }) {
    case .accepted: break
    case .overloaded: completion(.failure(StoreError.overloaded))
    case .closed: completion(.failure(StoreError.closed))
    }
  }
}
