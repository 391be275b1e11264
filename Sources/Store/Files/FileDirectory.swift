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
///     …/files/0123456789abcdef0123456789abcdef    those that messages have
///     …/uploads/…                                 those that are still coming, in one request
///     …/partial/…                                 those that are still coming, in several
///
/// All are on one file system, so that a file becomes one of the first by its name alone.
struct FileDirectory: Sendable {
  /// The users of the directory.
  private enum Use: Sendable {
    /// This server alone: what it finds at its start is an earlier process's.
    case exclusive
    /// Other servers too: only what has not changed for a day is certain to be nobody's.
    case shared
  }

  /// No server receives a file, or stores its message, for so long without changing it.
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

  /// Names the places below a directory that several servers may use.
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

  /// Makes the places, and removes what earlier processes were receiving in one request when they
  /// ended.
  ///
  /// The store knows what becomes of the rest.
  ///
  /// - Parameter time: The time on the file system's clock; `nil` to ask it.
  /// - Returns: The complete files that no living process is about to store the message of.
  func prepare(at time: Int? = nil) throws -> [String] {
    // A shared directory that is missing is not mounted; a new one would be another one.
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

  /// Whether bytes can still be written, and a reserve is left; where that is not known they can.
  func hasRoom(for byteCount: Int64, beside reserve: Int64) -> Bool {
    guard let room = FileSystemRoom.byteCount(below: base) else { return true }
    return room > reserve && room - reserve >= byteCount
  }

  /// Removes a file, complete or not; one that is not there is removed already.
  func remove(_ id: String) {
    Kernel.unlink(path(of: id))
    Kernel.unlink(partialPath(of: id))
  }

  /// Moves a complete file to those that are kept, for good once this returns.
  ///
  /// A new file is removed when that fails. Content that takes the place of other content stays: the
  /// file has no other any more.
  ///
  /// - Parameter incomingID: Its name among those that are coming.
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

  /// The same for a file that came in several requests, which stays when that fails: its upload goes on
  /// with it.
  func keepPartial(_ id: String) throws(SystemError) {
    try keep(id, atPath: partialPath(of: id))
  }

  /// Removes files from those that are still coming in several requests if they have not changed for a day.
  ///
  /// - Parameter time: The time on the file system's clock; `nil` to ask it.
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

  /// The time on the file system's clock, in seconds: a file server's clock need not be ours.
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

  /// The time of the last change, of the content or of the name.
  private static func changeTime(of path: String) -> Int? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    return status.st_ctim.tv_sec
  }

  private static func names(in directory: String) -> [String] {
    (try? Kernel.names(inDirectory: directory)) ?? []
  }
}
