import Glibc
import Reactor

/// The content that a file has before an upload to it is complete.
enum ReplacedContent: Sendable {
  /// None: the file is new.
  case nothing
  /// A complete file.
  case file
}

/// The directories of files on disk.
///
///     …/files/0123456789abcdef0123456789abcdef    files of messages
///     …/uploads/…                                 files being received in one request
///     …/partial/…                                 files being received in several requests
///
/// All are on one file system, so a rename is enough to move a file to the first.
struct FileDirectory: Sendable {
  /// The servers that use the directory.
  private enum Use: Sendable {
    /// This server alone: files found at its start belong to an earlier process.
    case exclusive
    /// Other servers too: only files unchanged for a day are certain to be abandoned.
    case shared
  }

  /// Longer than any server receives a file, or stores its message, without changing the file.
  static let abandonedAge = 86_400

  private let kept: String
  private let incoming: String
  private let partial: String
  private let base: String
  private let use: Use

  /// Names the places below a data directory, which one server uses at a time.
  init(dataDirectory: String) {
    self.init(dataDirectory, .exclusive)
  }

  /// Names the places below a directory shared by several servers.
  init(sharedDirectory: String) {
    self.init(sharedDirectory, .shared)
  }

  private init(_ base: String, _ use: Use) {
    kept = base + "/files"
    incoming = base + "/uploads"
    partial = base + "/partial"
    self.base = base
    self.use = use
  }

  /// Creates the places, and removes files that earlier processes were receiving in one request when
  /// they ended.
  ///
  /// The store decides what happens to the other files.
  ///
  /// - Parameter time: The time on the file system's clock; `nil` to read it from there.
  /// - Returns: The complete files for which no running process can still store a message.
  func prepare(at time: Int? = nil) throws -> [String] {
    // A missing shared directory is not mounted; a new one would be a different directory.
    if case .shared = use { try DataDirectory.check(base) }
    try DataDirectory.create(kept)
    try DataDirectory.create(incoming)
    try DataDirectory.create(partial)
    switch use {
    case .exclusive:
      for name in Self.names(in: incoming) { Kernel.unlink(incoming + "/" + name) }
      return ids()
    case .shared:
      let limit = try abandonmentLimit(at: time)
      removeAll(in: incoming, unchangedSince: limit)
      return ids().filter { isUnchanged(path(of: $0), since: limit) }
    }
  }

  func path(of id: String) -> String { kept + "/" + id }

  func incomingPath(of id: String) -> String { incoming + "/" + id }

  func partialPath(of id: String) -> String { partial + "/" + id }

  /// Whether bytes can be written while a reserve remains; assumed to be so when that is unknown.
  func hasRoom(for byteCount: Int64, beside reserve: Int64) -> Bool {
    guard let room = FileSystemRoom.byteCount(below: base) else { return true }
    return room > reserve && room - reserve >= byteCount
  }

  /// Removes a file, complete or not; a missing file counts as removed.
  func remove(_ id: String) {
    Kernel.unlink(path(of: id))
    Kernel.unlink(partialPath(of: id))
  }

  /// Moves a complete file to the kept files; the move is durable once this returns.
  ///
  /// A new file is removed when that fails. Content that replaces other content is kept, because the
  /// file has no other content then.
  ///
  /// - Parameter incomingID: Its name among the files being received.
  func keep(
    _ id: String, from incomingID: String, replacing replaced: ReplacedContent
  ) throws(SystemError) {
    do throws(SystemError) { try keep(id, atPath: incomingPath(of: incomingID)) } catch {
      switch replaced {
      case .nothing: remove(id)
      case .file: break
      }
      throw error
    }
  }

  /// The same for a file received in several requests.
  ///
  /// It is kept when that fails, so that its upload can continue.
  func keepPartial(_ id: String) throws(SystemError) {
    try keep(id, atPath: partialPath(of: id))
  }

  /// Removes files being received in several requests that have not changed for a day.
  ///
  /// - Parameter time: The time on the file system's clock; `nil` to read it from there.
  func removeAbandonedPartials(at time: Int? = nil) throws {
    removeAll(in: partial, unchangedSince: try abandonmentLimit(at: time))
  }

  private func keep(_ id: String, atPath source: String) throws(SystemError) {
    guard Kernel.rename(source, to: path(of: id)) == 0 else {
      throw .last("rename", on: source)
    }
    try synchronize()
  }

  private func ids() -> [String] { Self.names(in: kept).filter(FileID.isValid) }

  private func synchronize() throws(SystemError) {
    let descriptor = Kernel.uninterrupted {
      Kernel.open(kept, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    }
    guard descriptor >= 0 else { throw .last("open", on: kept) }
    defer { Kernel.close(descriptor) }
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 else {
      throw .last("fsync", on: kept)
    }
  }

  /// The time on the file system's clock, in seconds: a file server's clock may differ.
  private func now() throws -> Int {
    let probe = incomingPath(of: FileID.make())
    let file = try NewFile(at: probe)
    defer { withExtendedLifetime(file) { _ = Kernel.unlink(probe) } }
    guard let time = Self.changeTime(of: probe) else { throw SystemError.last("stat", on: probe) }
    return time
  }

  private func abandonmentLimit(at time: Int?) throws -> Int {
    try (time ?? now()) - Self.abandonedAge
  }

  private func removeAll(in directory: String, unchangedSince limit: Int) {
    for name in Self.names(in: directory) where isUnchanged(directory + "/" + name, since: limit) {
      Kernel.unlink(directory + "/" + name)
    }
  }

  private func isUnchanged(_ path: String, since limit: Int) -> Bool {
    Self.changeTime(of: path).map { $0 < limit } ?? false
  }

  /// The time of the last change of the content or the name.
  private static func changeTime(of path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return status.st_ctim.tv_sec
  }

  private static func names(in directory: String) -> [String] {
    (try? Kernel.names(inDirectory: directory)) ?? []
  }
}
