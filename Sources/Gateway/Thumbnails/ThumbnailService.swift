import Channels
import Configuration
import Logging
import ParleyProtocol
import Reactor
import Store
import Synchronization
import Thumbnailer
import Thumbnails
import Uploads

/// Makes thumbnails of files on this server, and stores them with their files.
///
/// On any thread. Each file is processed once at a time, so that a thumbnail in progress is not made
/// twice.
final class ThumbnailService: Sendable {
  typealias Completion = @Sendable (FileThumbnails) -> Void
  /// Receives the nanoseconds from a request to its end, on the thread of thumbnails.
  typealias Observer = @Sendable (UInt64) -> Void

  /// `nil` when thumbnails are off.
  private let thumbnailer: Thumbnailer?
  private let vault: FileVault
  private let clock: DeploymentClock
  private let logger: Logger
  private let observe: Observer
  /// The requests for each file that wait for the previous one.
  private let waiting = Mutex<[String: [@Sendable () -> Void]]>([:])
  /// The results of the startup checks, for operators.
  let report: ThumbnailReport

  /// Creates a service that makes no thumbnails.
  init(off reason: String, vault: FileVault, logger: Logger) {
    thumbnailer = nil
    (self.vault, self.logger) = (vault, logger)
    clock = DeploymentClock()
    observe = { _ in }
    report = ThumbnailReport(walls: "", missing: [reason])
  }

  init(
    _ thumbnailer: Thumbnailer, _ report: ThumbnailReport, vault: FileVault,
    clock: DeploymentClock, logger: Logger, observe: @escaping Observer
  ) {
    self.thumbnailer = thumbnailer
    (self.vault, self.clock, self.logger) = (vault, clock, logger)
    self.observe = observe
    self.report = report
  }

  var isOn: Bool { thumbnailer != nil }

  var figures: ThumbnailFigures { thumbnailer?.figures ?? ThumbnailFigures() }

  /// Makes the missing thumbnails of a file.
  ///
  /// - Parameter completion: Receives all thumbnails of the file. On any thread; must not block.
  func make(
    _ sizes: [ThumbnailSize], of fileID: String, for requester: ThumbnailRequester,
    completion: @escaping Completion = { _ in }
  ) {
    guard isOn, !sizes.isEmpty else { return completion(FileThumbnails()) }
    let start: @Sendable () -> Void = { [self] in
      begin(sizes, of: fileID, for: requester) { [self] made in
        completion(made)
        next(after: fileID)
      }
    }
    let isFirst = waiting.withLock { waiting in
      guard waiting[fileID] != nil else {
        waiting[fileID] = []
        return true
      }
      waiting[fileID]?.append(start)
      return false
    }
    if isFirst { start() }
  }

  /// Scales down a picture that is not a stored file.
  ///
  /// - Parameters:
  ///   - name: Identifies the content. No file has this name.
  ///   - completion: Called once, on any thread; must not block.
  func scale(
    _ bytes: [UInt8], into bounds: ThumbnailSize, as name: String,
    for requester: ThumbnailRequester, completion: @escaping @Sendable (ThumbnailResult) -> Void
  ) {
    guard let thumbnailer else {
      return completion(
        ThumbnailResult(.refused, reason: "thumbnails are off", isFinal: false))
    }
    let box = ThumbnailBox(maxWidth: bounds.maxWidth, maxHeight: bounds.maxHeight)
    thumbnailer.make(
      [box], of: name, for: requester, from: BytesSource(bytes: bytes), completion: completion)
  }

  /// Kills all child processes, and answers all requests.
  func shutDown() { thumbnailer?.shutdown() }

  // MARK: Steps

  private func next(after fileID: String) {
    let start = waiting.withLock { waiting -> (@Sendable () -> Void)? in
      guard waiting[fileID]?.isEmpty == false else {
        waiting[fileID] = nil
        return nil
      }
      return waiting[fileID]?.removeFirst()
    }
    start?()
  }

  private func begin(
    _ sizes: [ThumbnailSize], of fileID: String, for requester: ThumbnailRequester,
    completion: @escaping Completion
  ) {
    vault.store.perform(ThumbnailsLookup(fileID)) { [self] result in
      guard let thumbnailer, case .success(let known?) = result else {
        return completion(FileThumbnails())
      }
      let missing = known.thumbnails.missing(of: sizes)
      guard !missing.isEmpty else { return completion(known.thumbnails) }
      let startedAt = SystemClock.monotonicNanoseconds
      let boxes = missing.map { ThumbnailBox(maxWidth: $0.maxWidth, maxHeight: $0.maxHeight) }
      let source = KeptFileSource(known.file, vault)
      thumbnailer.make(boxes, of: fileID, for: requester, from: source) { [self] result in
        observe(UInt64(max(0, SystemClock.monotonicNanoseconds - startedAt)))
        keep(result, of: known.file, beside: known.thumbnails, completion: completion)
      }
    }
  }

  private func keep(
    _ result: ThumbnailResult, of file: FileRecord, beside known: FileThumbnails,
    completion: @escaping Completion
  ) {
    if result.outcome != .made {
      logger.debug(
        "no thumbnail of a file",
        metadata: ["file": "\(file.id)", "outcome": "\(result.outcome.rawValue)"])
    }
    let failure =
      result.outcome == .made || !result.isFinal
      ? nil : "\(result.outcome.rawValue): \(result.reason)"
    let kept = Mutex<[FileThumbnail]>([])
    let record: @Sendable () -> Void = { [self] in
      let thumbnails = kept.withLock { $0 }
      guard failure != nil || !thumbnails.isEmpty else { return completion(known) }
      let addition = ThumbnailAddition(file, thumbnails, failure: failure, at: clock.now)
      vault.store.perform(addition) { [self] result in
        switch result {
        case .success(let all): completion(all ?? FileThumbnails())
        case .failure:
          // If that fails too, the next start searches for files that are not in the store.
          vault.store.perform(ThumbnailWithdrawal(thumbnails, of: file.id)) { _ in }
          completion(known)
        }
      }
    }
    guard !result.thumbnails.isEmpty else { return record() }
    let missing = MissingAnswers(result.thumbnails.count, then: record)
    for thumbnail in result.thumbnails {
      write(thumbnail, of: file) { found in
        if let found { kept.withLock { $0.append(found) } }
        missing.oneCame()
      }
    }
  }

  /// Writes the bytes of a thumbnail to the depot.
  private func write(
    _ thumbnail: Thumbnail, of file: FileRecord,
    completion: @escaping @Sendable (FileThumbnail?) -> Void
  ) {
    guard vault.files.hasRoom(for: Int64(thumbnail.bytes.count)) else {
      logger.debug(
        "no thumbnail of a file",
        metadata: ["file": "\(file.id)", "outcome": "the disk's reserve is reached"])
      return completion(nil)
    }
    let upload: any FileUpload
    do {
      upload = try vault.beginThumbnail(of: file)
    } catch {
      logger.error("a thumbnail cannot be stored", metadata: ["reason": "\(error)"])
      return completion(nil)
    }
    let found = FileThumbnail(
      bounds: ThumbnailSize(maxWidth: thumbnail.box.maxWidth, maxHeight: thumbnail.box.maxHeight),
      contentID: upload.id, type: thumbnail.format.mediaType, size: Int64(thumbnail.bytes.count),
      width: thumbnail.size.width, height: thumbnail.size.height)
    upload.write(thumbnail.bytes) { _ in }
    upload.complete { [self] result in
      switch result {
      case .success: completion(found)
      case .failure(let error):
        logger.error("a thumbnail cannot be stored", metadata: ["reason": "\(error)"])
        upload.discard()
        completion(nil)
      }
    }
  }
}

/// The results of the startup checks for thumbnails.
struct ThumbnailReport: Sendable {
  /// The sandbox of the decoders; empty when there is nothing to sandbox.
  let walls: String
  /// One line for each thing that is missing.
  let missing: [String]
}

/// A stored file, as input for decoders.
private struct KeptFileSource: ThumbnailSource {
  private let file: FileRecord
  private let vault: FileVault

  init(_ file: FileRecord, _ vault: FileVault) {
    self.file = file
    self.vault = vault
  }

  func open(_ completion: @escaping @Sendable (Result<ThumbnailFile, any Error>) -> Void) {
    vault.open(file) { result in
      do {
        switch try result.get() {
        case .local(let file): completion(.success(try ThumbnailFile(file)))
        case .remote(let file): MemoryCopy.make(of: file, completion: completion)
        }
      } catch {
        completion(.failure(error))
      }
    }
  }
}

/// Bytes in memory, as input for decoders.
private struct BytesSource: ThumbnailSource {
  let bytes: [UInt8]

  func open(_ completion: (Result<ThumbnailFile, any Error>) -> Void) {
    completion(
      Result {
        let memory = try MemoryFile("file")
        try memory.append(bytes)
        return try ThumbnailFile(memory)
      })
  }
}

/// Copies a file that is encrypted or on another machine into memory.
private enum MemoryCopy {
  /// The largest file that is copied.
  private static let byteLimit: Int64 = 268_435_456

  struct TooLarge: Error, CustomStringConvertible {
    var description: String { "the file is too large to be fetched for its thumbnails" }
  }

  static func make(
    of file: any RemoteFile,
    completion: @escaping @Sendable (Result<ThumbnailFile, any Error>) -> Void
  ) {
    _ = file.measure { result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let count) where count > byteLimit: completion(.failure(TooLarge()))
      case .success(let count):
        do {
          append(file, from: 0, to: count, try MemoryFile("file"), completion: completion)
        } catch {
          completion(.failure(error))
        }
      }
    }
  }

  private static func append(
    _ file: any RemoteFile, from start: Int64, to end: Int64, _ memory: MemoryFile,
    completion: @escaping @Sendable (Result<ThumbnailFile, any Error>) -> Void
  ) {
    guard start < end else { return completion(Result { try ThumbnailFile(memory) }) }
    let stop = min(end, start + Int64(file.maximumStretch))
    _ = file.read(start..<stop) { result in
      do {
        try memory.append(try result.get().bytes)
        append(file, from: stop, to: end, memory, completion: completion)
      } catch {
        completion(.failure(error))
      }
    }
  }
}
