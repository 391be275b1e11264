import Channels
import Crypto
import Logging
import ParleyProtocol
import Store
import Synchronization
import Uploads

/// The conversion of files that are stored in the clear.
extension FileVault {
  /// Encrypts a file, unless it is already encrypted.
  ///
  /// The keys are stored before a byte is written, and the file is replaced atomically. After a crash
  /// the file is read in whichever form it has.
  ///
  /// - Parameter completion: Called on any thread with the outcome.
  func encrypt(
    _ fileID: String, _ scope: FileConversionStart.Scope,
    completion: @escaping @Sendable (Result<FileConversionStart.Outcome, ServiceError>) -> Void
  ) {
    let key = SymmetricKey()
    if let problem = masterKeys.problem { return completion(.failure(problem.refusal)) }
    guard let seal = seal(key, ofFile: fileID) else { return completion(.failure(.internalError)) }
    store.perform(FileConversionStart(fileID, seal, scope)) { [self] result in
      switch result.serviceResult {
      case .failure(let error): completion(.failure(error))
      case .success(.begun(let file)):
        conversions.run(file.id, { replace(file, $0) }, then: completion)
      case .success(let outcome): completion(.success(outcome))
      }
    }
  }

  private func replace(
    _ file: FileRecord,
    _ completion: @escaping @Sendable (Result<FileConversionStart.Outcome, ServiceError>) -> Void
  ) {
    let keys: FileKeys
    do throws(WrappedKeyError) {
      keys = try self.keys(of: file)
    } catch {
      return completion(.failure(refusal(of: error, ofFile: file.id)))
    }
    files.measure(file.id) { [self] result in
      switch result {
      // A previous attempt has encrypted the file.
      case .success(SealedLayout.storedByteCount(of: file.size)):
        replaceThumbnails(of: file, with: keys, completion)
      case .success(file.size):
        files.encrypt(file.id, with: keys.last, byteCount: file.size) { [self] result in
          switch result {
          case .success: replaceThumbnails(of: file, with: keys, completion)
          case .failure(let error): resume(file, with: keys, after: error, completion)
          }
        }
      case .success: fail(file, "it has another length", completion)
      case .failure(let error): fail(file, "\(error)", completion)
      }
    }
  }

  /// Continues with a file that another attempt, possibly on another server, has already replaced.
  private func resume(
    _ file: FileRecord, with keys: FileKeys, after error: any Error,
    _ completion: @escaping @Sendable (Result<FileConversionStart.Outcome, ServiceError>) -> Void
  ) {
    files.measure(file.id) { [self] result in
      guard case .success(SealedLayout.storedByteCount(of: file.size)) = result else {
        return fail(file, "\(error)", completion)
      }
      replaceThumbnails(of: file, with: keys, completion)
    }
  }

  /// Encrypts the thumbnails that are still in the clear.
  private func replaceThumbnails(
    of file: FileRecord, with keys: FileKeys,
    _ completion: @escaping @Sendable (Result<FileConversionStart.Outcome, ServiceError>) -> Void
  ) {
    store.perform(ThumbnailsLookup(file.id)) { [self] result in
      switch result {
      case .success(let found):
        replace((found?.thumbnails.made ?? [])[...], of: file, with: keys, completion)
      case .failure(let error): fail(file, "\(error)", completion)
      }
    }
  }

  private func replace(
    _ thumbnails: ArraySlice<FileThumbnail>, of file: FileRecord, with keys: FileKeys,
    _ completion: @escaping @Sendable (Result<FileConversionStart.Outcome, ServiceError>) -> Void
  ) {
    guard let thumbnail = thumbnails.first else { return end(file, completion) }
    let next: @Sendable () -> Void = { [self] in
      replace(thumbnails.dropFirst(), of: file, with: keys, completion)
    }
    files.measure(thumbnail.contentID) { [self] result in
      switch result {
      case .success(thumbnail.size):
        let key = keys.ofThumbnail(thumbnail.contentID).last
        files.encrypt(thumbnail.contentID, with: key, byteCount: thumbnail.size) { [self] result in
          switch result {
          case .success: next()
          case .failure(let error): fail(file, "\(error)", completion)
          }
        }
      case .success, .failure(.missing): next()
      case .failure(let error): fail(file, "\(error)", completion)
      }
    }
  }

  private func end(
    _ file: FileRecord,
    _ completion: @escaping @Sendable (Result<FileConversionStart.Outcome, ServiceError>) -> Void
  ) {
    store.perform(FileConversionEnd(file.id)) { [self] result in
      if case .success = result { counters.add(.converted) }
      completion(result.serviceResult.map { .sealed(file) })
    }
  }

  private func fail(
    _ file: FileRecord, _ reason: String,
    _ completion: @escaping @Sendable (Result<FileConversionStart.Outcome, ServiceError>) -> Void
  ) {
    logger.error(
      "a file cannot be encrypted", metadata: ["file_id": "\(file.id)", "reason": "\(reason)"])
    completion(.failure(.internalError))
  }

  /// Encrypts files that are in no message, one after another.
  ///
  /// - Parameter completion: Called on any thread with the reasons why some are still in the clear.
  func encrypt(
    _ ids: ArraySlice<String>, refusals: [String: ServiceError] = [:],
    completion: @escaping @Sendable ([String: ServiceError]) -> Void
  ) {
    guard let id = ids.first else { return completion(refusals) }
    encrypt(id, .unsent) { [self] result in
      var refusals = refusals
      switch result {
      case .success(.sealed), .success(.begun): break
      case .success(.inMessage):
        refusals[id] = .notCombinable(
          "file_id", "another message has the file, which is stored in the clear")
      case .success(.picture):
        refusals[id] = .notCombinable("file_id", "the file is a picture, which is public")
      case .success(.absent): refusals[id] = .notFound(.file, id)
      case .failure(let error): refusals[id] = error
      }
      encrypt(ids.dropFirst(), refusals: refusals, completion: completion)
    }
  }

  // MARK: All files

  /// Starts to encrypt all files in the clear, one after another.
  ///
  /// Has no effect while this is running.
  func encryptAll() {
    guard !isConverting.exchange(true, ordering: .acquiringAndReleasing) else { return }
    convert(after: "")
  }

  private func convert(after last: String) {
    store.perform(ClearFiles(after: last, limit: 100)) { [self] result in
      guard case .success(let ids) = result, let end = ids.last else {
        return isConverting.store(false, ordering: .releasing)
      }
      convert(ids[...]) { [self] in convert(after: end) }
    }
  }

  private func convert(_ ids: ArraySlice<String>, then next: @escaping @Sendable () -> Void) {
    guard let id = ids.first else { return next() }
    encrypt(id, .all) { [self] _ in convert(ids.dropFirst(), then: next) }
  }

  // MARK: Rewrapping

  /// Starts to wrap all keys with the current master key.
  ///
  /// Has no effect while this is running.
  ///
  /// Each step is stored, so that a later run continues where this one stopped.
  func rewrapAll() {
    guard masters != nil, !isRewrapping.exchange(true, ordering: .acquiringAndReleasing) else {
      return
    }
    rewrapSome()
  }

  private func rewrapSome() {
    guard let masters else { return isRewrapping.store(false, ordering: .releasing) }
    store.perform(RowsToRewrap(except: masters.current.id, limit: 100)) { [self] result in
      guard case .success(let rows) = result, !rows.isEmpty else {
        return isRewrapping.store(false, ordering: .releasing)
      }
      let changes = rows.compactMap { row in
        rewrapped(row, with: masters).map { KeysRewrapped.Change(row, $0) }
      }
      guard !changes.isEmpty else {
        logger.error("keys of files cannot be wrapped anew: their master keys are missing")
        return isRewrapping.store(false, ordering: .releasing)
      }
      store.perform(KeysRewrapped(changes)) { [self] result in
        guard case .success = result else { return isRewrapping.store(false, ordering: .releasing) }
        for _ in changes { counters.add(.rewrapped) }
        rewrapSome()
      }
    }
  }

  private func rewrapped(_ row: SealedRow, with masters: MasterKeys) -> SealedRow? {
    let keys = WrappedKeys(masterKeyID: row.masterKeyID, bytes: row.keys)
    guard let new = try? keys.rewrapped(ofFile: row.fileID, with: masters) else { return nil }
    var tailKey: [UInt8]?
    if let old = row.tailKey {
      guard
        let key = try? WrappedKey(masterKeyID: row.masterKeyID, sealed: old)
          .rewrapped(of: .tail, ofFile: row.fileID, with: masters)
      else { return nil }
      tailKey = key.sealed
    }
    return SealedRow(
      table: row.table, fileID: row.fileID, masterKeyID: new.masterKeyID, keys: new.bytes,
      tailKey: tailKey)
  }
}
