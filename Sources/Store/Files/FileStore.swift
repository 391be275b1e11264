package import ParleyProtocol
package import Crypto
import Reactor
import Synchronization

/// The files of messages: received, kept and read back.
package final class FileStore: Sendable {
  private let depot: any FileDepot
  /// The threads that read and decrypt files.
  private let readers: FileWorkers

  private static let readerCount = 2

  /// Opens the files of a depot; the store must hold its lock already.
  package init(_ depot: any FileDepot) throws {
    try depot.prepare()
    self.depot = depot
    readers = try FileWorkers(threadCount: Self.readerCount)
  }

  /// Whether more bytes can be stored without using up the reserve, as far as known.
  package func hasRoom(for byteCount: Int64) -> Bool { depot.hasRoom(for: byteCount) }

  /// Starts receiving a file.
  package func beginUpload() -> any FileUpload {
    depot.beginUpload(FileID.make())
  }

  /// Starts receiving a file that is stored encrypted.
  package func beginUpload(sealedWith key: SymmetricKey) -> any FileUpload {
    beginUpload { _ in key }
  }

  /// Starts receiving a file that is stored encrypted under a key that depends on its id.
  package func beginUpload(sealedWith key: (String) -> SymmetricKey) -> any FileUpload {
    let upload = beginUpload()
    return SealingUpload(upload, key: key(upload.id))
  }

  /// Continues to receive a file that may come over several requests, or starts to.
  package func continueUpload(
    _ request: PartialFileRequest, completion: @escaping FileCompletion<any PartialFile>
  ) {
    depot.continueUpload(request, completion: completion)
  }

  /// Opens a file for sending.
  package func open(_ id: String) throws(FileReadError) -> ReadableFile {
    try depot.open(id)
  }

  /// Opens an encrypted file, which may still be unencrypted while it is being converted.
  ///
  /// - Parameters:
  ///   - damage: Called with the reason when the content is not what was stored.
  ///   - completion: Called on a thread of the files, or at once.
  package func open(
    _ file: FileRecord, _ keys: FileKeys, damage: @escaping @Sendable (String) -> Void,
    completion: @escaping @Sendable (Result<ReadableFile, FileReadError>) -> Void
  ) {
    let lane = readers.makeLane()
    let isAccepted = lane.submit { [depot] in
      do throws(FileReadError) {
        let found = try depot.open(file.id)
        let sealed = ReadableFile.remote(
          SealedFile(found, keys, plainByteCount: file.size, on: lane, damage: damage))
        guard file.seal?.isUnderWay == true else { return completion(.success(sealed)) }
        switch found {
        case .local(let clear):
          completion(.success(clear.byteCount == file.size ? found : sealed))
        case .remote(let clear):
          _ = clear.measure { result in
            completion(result.map { $0 == file.size ? found : sealed })
          }
        }
      } catch {
        completion(.failure(error))
      }
    }
    if !isAccepted { completion(.failure(.unavailable(reason: "the server stops"))) }
  }

  /// Encrypts a file that is stored unencrypted, under the same id.
  ///
  /// The file stays readable in its old form until it is replaced as a whole.
  package func encrypt(
    _ id: String, with key: SymmetricKey, byteCount: Int64,
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    do throws(FileReadError) {
      let upload = SealingUpload(depot.beginReplacement(of: id), key: key)
      FileEncryption(
        try depot.open(id), byteCount: byteCount, to: upload, on: readers.makeLane(), completion
      ).proceed()
    } catch {
      completion(.failure(error))
    }
  }

  /// Checks whether a file has a given number of bytes; on any thread.
  package func measure(
    _ id: String, completion: @escaping @Sendable (Result<Int64, FileReadError>) -> Void
  ) {
    do throws(FileReadError) {
      switch try depot.open(id) {
      case .local(let file): completion(.success(file.byteCount))
      case .remote(let file): _ = file.measure(completion: completion)
      }
    } catch {
      completion(.failure(error))
    }
  }

  /// Runs work that waits for the disk.
  package func perform(_ job: @escaping @Sendable () -> Void) {
    _ = readers.makeLane().submit(job)
  }

  /// Removes a complete file that no message uses.
  package func remove(_ id: String) {
    depot.remove([id]) { _ in }
  }

  /// Removes the files that were complete when an earlier process ended, but whose messages were not
  /// stored.
  package func collectOrphans(in store: Store) {
    collect(after: nil, in: store)
  }

  /// Closes the store of files; blocks until the pending requests are carried out or abandoned.
  package func close() {
    readers.close()
    depot.close()
  }

  private static let batch = 500

  private func collect(after token: String?, in store: Store) {
    depot.suspects(after: token) { [self, weak store] result in
      guard case .success(let page) = result, let store else { return }
      collect(page.ids[...], of: page, in: store)
    }
  }

  private func collect(_ ids: ArraySlice<String>, of page: FilePage, in store: Store) {
    guard !ids.isEmpty else {
      if let next = page.next { collect(after: next, in: store) }
      return
    }
    let (now, later) = (Array(ids.prefix(Self.batch)), ids.dropFirst(Self.batch))
    store.lookUp {
      try $0.knownFiles(now)
    } completion: { [self, weak store] result in
      guard case .success(let known) = result, let store else { return }
      for id in now where !known.contains(id) { remove(id) }
      collect(later, of: page, in: store)
    }
  }
}

/// The name of a file in the store: 28 bits of a count, and 100 random bits that cannot be guessed.
///
/// The count follows the time in milliseconds. Lists of files are ordered by time and, within a
/// millisecond, by name, which is the order of creation.
package enum FileID {
  private static let countLength = 7
  private static let count = Atomic<Int64>(0)

  /// Generates a new id.
  package static func make() -> String {
    make(after: count, at: SystemClock.unixMilliseconds)
  }

  /// Generates a new id for a time, in Unix milliseconds.
  static func make(after count: borrowing Atomic<Int64>, at now: Int64) -> String {
    var last = count.load(ordering: .relaxed)
    while true {
      // If the clock was set back by more than a few names, the count follows it.
      let next = last - now > 1_000 ? now : max(last + 1, now)
      let (isTaken, current) = count.compareExchange(
        expected: last, desired: next, ordering: .relaxed)
      if isTaken { return name(next) }
      last = current
    }
  }

  private static func name(_ count: Int64) -> String {
    let digits = String(count & ((1 << (4 * countLength)) - 1), radix: 16)
    return String(repeating: "0", count: countLength - digits.utf8.count) + digits
      + SecureRandom.hex(byteCount: 16).dropFirst(countLength)
  }

  /// Whether a text has the form of an id; no other text may become part of a path.
  package static func isValid(_ text: String) -> Bool {
    text.utf8.count == 32
      && text.utf8.allSatisfy {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
      }
  }
}
