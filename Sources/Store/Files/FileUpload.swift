import Glibc
import Reactor
import Synchronization

/// A file that is being received.
///
/// Its bytes go to a temporary place as they come, and nothing of it outlives the process until it
/// is complete. What is asked for is done in order, on the thread of files; completions run there.
package final class FileUpload: Sendable {
  /// What the file will be called in the store.
  package let id: String
  private let directory: FileDirectory
  private let jobs: JobQueue<FileJob>
  /// -1 while the file is not open.
  private let descriptor = Mutex<Int32>(-1)

  init(id: String, directory: FileDirectory, jobs: JobQueue<FileJob>) {
    self.id = id
    self.directory = directory
    self.jobs = jobs
  }

  /// Appends bytes.
  package func write(
    _ bytes: [UInt8], completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    submit(completion) { [self] in
      try descriptor.withLock { descriptor throws(SystemError) in
        try open(&descriptor)
        try Self.write(bytes[...], to: descriptor, at: path)
      }
    }
  }

  /// Makes the file safe on disk: complete, under its final name, for good.
  package func complete(completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
    submit(completion) { [self] in
      try descriptor.withLock { descriptor throws(SystemError) in
        try open(&descriptor)
        guard fsync(descriptor) == 0 else { throw .last("fsync", on: path) }
        close(descriptor)
        descriptor = -1
        try directory.keep(id)
      }
    }
  }

  /// Removes what has come of it; a file that is complete is left alone.
  package func discard() {
    _ = jobs.submit { [self] in
      descriptor.withLock { descriptor in
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
      }
      unlink(path)
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

  private func open(_ descriptor: inout Int32) throws(SystemError) {
    guard descriptor < 0 else { return }
    let opened = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard opened >= 0 else { throw .last("open", on: path) }
    descriptor = opened
  }

  private static func write(
    _ bytes: ArraySlice<UInt8>, to descriptor: Int32, at path: String
  ) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw .last("write", on: path)
      }
      rest = rest.dropFirst(count)
    }
  }
}
