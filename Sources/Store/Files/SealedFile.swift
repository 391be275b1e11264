import Reactor
import Crypto
import Synchronization

/// An encrypted file that is read in ranges, each of which is decrypted from its chunks.
///
/// The work runs on a lane of its own; no bytes of a chunk that fails authentication are returned.
package final class SealedFile: RemoteFile {
  private let file: ReadableFile
  private let keys: FileKeys
  private let plainByteCount: Int64
  private let lane: FileWorkers.Lane
  /// Called with the reason when the content is not what was stored.
  private let damage: @Sendable (String) -> Void
  /// The first bytes of the stored file, once read.
  private let header = Mutex<[UInt8]?>(nil)

  package let maximumStretch = 4 * SealedLayout.chunkByteCount

  init(
    _ file: ReadableFile, _ keys: FileKeys, plainByteCount: Int64, on lane: FileWorkers.Lane,
    damage: @escaping @Sendable (String) -> Void
  ) {
    self.file = file
    self.keys = keys
    self.plainByteCount = plainByteCount
    self.lane = lane
    self.damage = damage
  }

  package func measure(
    completion: @escaping @Sendable (Result<Int64, FileReadError>) -> Void
  ) -> FileReading {
    switch file {
    case .local(let file):
      completion(plainLength(file.byteCount))
      return FileReading {}
    case .remote(let file):
      return file.measure { [self] result in completion(result.flatMap(plainLength)) }
    }
  }

  package func read(
    _ range: Range<Int64>,
    completion: @escaping @Sendable (Result<FileStretch, FileReadError>) -> Void
  ) -> FileReading {
    let isCancelled = SharedFlag()
    let finish: @Sendable (Result<FileStretch, FileReadError>) -> Void = { result in
      if !isCancelled.isSet { completion(result) }
    }
    withHeader { [self] result in
      switch result {
      case .failure(let error): finish(.failure(error))
      case .success(let header): read(range, header, finish)
      }
    }
    return FileReading { isCancelled.set() }
  }

  private func withHeader(
    _ next: @escaping @Sendable (Result<[UInt8], FileReadError>) -> Void
  ) {
    if let known = header.withLock({ $0 }) { return next(.success(known)) }
    readStored(0..<Int64(SealedLayout.headerByteCount)) { [self] result in
      if case .success(let bytes) = result { header.withLock { $0 = bytes } }
      next(result)
    }
  }

  private func read(
    _ range: Range<Int64>, _ header: [UInt8],
    _ finish: @escaping @Sendable (Result<FileStretch, FileReadError>) -> Void
  ) {
    let opener: FileOpener
    do throws(SealedFileError) {
      opener = try FileOpener(keys: keys, header: header, plainByteCount: plainByteCount)
    } catch {
      return finish(.failure(damaged("it does not begin as an encrypted file")))
    }
    let stored = opener.stretch(range).storedRange
    readStored(stored) { [self] result in
      finish(
        result.flatMap { bytes in
          var stretch = opener.stretch(range)
          do throws(SealedFileError) {
            let plain = try stretch.open(bytes)
            guard stretch.isComplete else { throw .notAuthentic }
            return .success(FileStretch(bytes: plain, fileByteCount: plainByteCount))
          } catch {
            return .failure(damaged("a chunk does not authenticate"))
          }
        })
    }
  }

  /// Reads a whole range of stored bytes, and continues outside of event loops.
  private func readStored(
    _ range: Range<Int64>,
    _ next: @escaping @Sendable (Result<[UInt8], FileReadError>) -> Void
  ) {
    switch file {
    case .local(let file):
      let isAccepted = lane.submit { [self] in
        do throws(SystemError) {
          guard case .success = plainLength(file.byteCount) else {
            return next(.failure(.damaged(reason: "it has another length")))
          }
          let bytes = try file.read(from: range.lowerBound, atMost: range.count)
          guard bytes.count == range.count else {
            return next(.failure(damaged("it is cut")))
          }
          next(.success(bytes))
        } catch {
          next(.failure(.unavailable(reason: "\(error)")))
        }
      }
      if !isAccepted { next(.failure(.unavailable(reason: "the server stops"))) }
    case .remote(let file):
      _ = file.read(range) { [self] result in
        switch result {
        case .failure(let error): next(.failure(error))
        case .success(let stretch):
          next(plainLength(stretch.fileByteCount).map { _ in stretch.bytes })
        }
      }
    }
  }

  private func plainLength(_ stored: Int64) -> Result<Int64, FileReadError> {
    guard stored == SealedLayout.storedByteCount(of: plainByteCount) else {
      return .failure(damaged("it has another length"))
    }
    return .success(plainByteCount)
  }

  private func damaged(_ reason: String) -> FileReadError {
    damage(reason)
    return .damaged(reason: reason)
  }
}

/// A flag that is set once, on any thread.
final class SharedFlag: Sendable {
  private let flag = Atomic(false)

  var isSet: Bool { flag.load(ordering: .relaxed) }

  func set() { flag.store(true, ordering: .relaxed) }
}
