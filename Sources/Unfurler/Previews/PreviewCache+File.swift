import Dispatch
import LinkPreview
import Logging
import Synchronization

extension PreviewCache {
  /// Looks up a link in memory and in the file; completes immediately or on the cache's queue.
  func load(_ link: Link, completion: @escaping @Sendable (CacheHit?) -> Void) {
    let finding = find(link)
    guard finding == nil, state.withLock({ $0.file != nil }) else { return completion(finding) }
    queue.async { [self] in
      let stored = restore(link)
      completion(find(link) ?? stored.flatMap { CacheHit($0, at: now()) })
    }
  }

  /// Looks up a link without changing its position in memory; completes on the cache's queue.
  func show(_ link: Link, completion: @escaping @Sendable (PreviewEntry?) -> Void) {
    queue.async { [self] in
      let stored = restore(link)
      let now = now()
      completion(state.withLock { $0.recent.peek(link, at: now) } ?? stored)
    }
  }

  /// Writes waiting entries and closes the file; memory is unchanged.
  ///
  /// Must not be called from a completion of this cache, which it would wait for.
  package func close() {
    queue.sync {
      writeOut()
      let file = state.withLock { state in
        defer { state.file = nil }
        return state.file
      }
      file?.close()
    }
  }

  /// Loads a link's entry from the file into memory, unless memory has a newer one.
  ///
  /// - Returns: The file's entry, even if it is too large for memory.
  private func restore(_ link: Link) -> PreviewEntry? {
    let now = now()
    let (isKnown, unwritten) = state.withLock {
      ($0.recent.peek(link, at: now) != nil, $0.unwritten[link])
    }
    guard !isKnown,
      let entry = unwritten ?? withFile({ try $0.find(link, at: now) }).flatMap({ $0 })
    else { return nil }
    let restored = lifetimes.restored(entry, at: now)
    state.withLock { state in
      // A fetch may have ended while the file was read.
      if state.recent.peek(link, at: now) == nil { state.recent.insert(restored) }
    }
    return restored
  }

  /// Writes waiting entries; on the queue.
  func writeOut() {
    let entries = state.withLock { state in
      state.isWriteScheduled = false
      return state.unwritten.take()
    }
    guard !entries.isEmpty else { return }
    let now = now()
    if withFile({ try $0.store(entries, at: now) }) != nil {
      hasWarned.store(false, ordering: .relaxed)
    }
  }

  /// Runs an operation on the file, if there is one; on the queue.
  ///
  /// - Returns: `nil` if there is no file, or the operation failed and this was logged.
  func withFile<Result>(_ body: (FileCache) throws -> Result) -> Result? {
    guard let file = state.withLock({ $0.file }) else { return nil }
    do {
      return try body(file)
    } catch {
      handle(error, of: file)
      return nil
    }
  }

  /// Deletes the file, if there is one, and continues without it; on the queue.
  func abandonFile() {
    let file = state.withLock { state in
      defer { state.file = nil }
      return state.file
    }
    guard let file else { return }
    file.discard()
    logger.warning(
      "the preview cache file cannot be purged; deleting it and using memory only",
      metadata: ["file": "\(Self.fileName)"])
  }

  private func handle(_ error: any Error, of file: FileCache) {
    if FileCache.isDamage(error) {
      state.withLock { $0.file = nil }
      // So that the next start creates a new one.
      file.discard()
      Self.warnOfLoss(logger, error)
    } else if !hasWarned.exchange(true, ordering: .relaxed) {
      logger.warning(
        "the preview cache file cannot be used at the moment",
        metadata: ["file": "\(Self.fileName)", "error": "\(error)"])
    }
  }
}

extension PreviewCache {
  /// Opens the file, rebuilds it if it is damaged or of another version, and loads unexpired
  /// entries; `nil` if it is disabled or unusable.
  static func openFile(
    in directory: String, _ limits: Limits, _ logger: Logger, at now: Int64
  ) -> (file: FileCache, entries: [PreviewEntry])? {
    let path = "\(directory)/\(fileName)"
    guard limits.maximumFileBytes > 0 else {
      FileCache.remove(path)
      return nil
    }
    do {
      do {
        return try open(path, limits, at: now)
      } catch  where FileCache.isDamage(error) {
        logger.warning(
          "the preview cache file cannot be read; creating a new one",
          metadata: ["file": "\(fileName)", "error": "\(error)"])
        FileCache.remove(path)
        return try open(path, limits, at: now)
      }
    } catch {
      warnOfLoss(logger, error)
      return nil
    }
  }

  private static func open(
    _ path: String, _ limits: Limits, at now: Int64
  ) throws -> (file: FileCache, entries: [PreviewEntry]) {
    let file = try FileCache(path: path, bounds: FileCacheBounds(limits), at: now)
    return (file, try file.loadRecent(at: now, limits))
  }

  private static func warnOfLoss(_ logger: Logger, _ error: any Error) {
    logger.warning(
      "the preview cache file cannot be used; keeping previews in memory only",
      metadata: ["file": "\(fileName)", "error": "\(error)"])
  }
}
