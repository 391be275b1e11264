import Glibc
import Reactor
import Synchronization

/// A file that is being received.
///
/// Its bytes go to a temporary place as they come, and nothing of it outlives the process until it
/// is complete. What is asked for is done in order, on the thread of files; completions run there.
package final class FileUpload: Sendable {
  /// The id of the file in the store.
  package let id: String
  private let directory: FileDirectory
  private let jobs: JobQueue<FileJob>
  private let state = Mutex(State.waiting)

  private enum State {
    /// Nothing has come.
    case waiting
    case open(NewFile)
    /// The upload stays incomplete.
    case failed(SystemError)
    /// Complete, or given up.
    case ended
  }

  init(id: String, directory: FileDirectory, jobs: JobQueue<FileJob>) {
    self.id = id
    self.directory = directory
    self.jobs = jobs
  }

  // Giving it up may have been refused, by a queue that is full.
  deinit {
    state.withLock { state in
      guard case .open = state else { return }
      state = .ended
      Kernel.unlink(path)
    }
  }

  /// Appends bytes; once that has failed, nothing succeeds any more.
  package func write(
    _ bytes: [UInt8], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    submit(completion) { [self] in
      try change { file throws(SystemError) in
        try file.append(bytes)
        return .open(file)
      }
    }
  }

  /// Makes the file safe on disk: complete, under its final name, for good.
  package func complete(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    submit(completion) { [self] in
      try change { file throws(SystemError) in
        try file.synchronize()
        try directory.keep(id)
        return .ended
      }
    }
  }

  /// Removes what has come of it; a file that is complete is left alone.
  package func discard() {
    _ = jobs.submit { [self] in
      state.withLock { $0 = .ended }
      Kernel.unlink(path)
    }
  }

  /// Changes the open file, and removes it when that fails.
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

  private var path: String { directory.incomingPath(of: id) }

  private func submit(
    _ completion: @escaping @Sendable (Result<Void, any Error>) -> Void,
    _ work: @escaping @Sendable () throws -> Void
  ) {
    switch jobs.submit({ completion(Result { try work() }) }) {
    case .accepted: break
    case .overloaded: completion(.failure(StoreError.overloaded))
    case .closed: completion(.failure(StoreError.closed))
    }
  }
}
