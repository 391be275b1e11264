import Basics
import Glibc
import Reactor

/// The reason why a backup or a restoration fails, worded for the operator.
package struct BackupError: Error, Equatable, CustomStringConvertible {
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// A folder of backups: each complete backup has its own subfolder, named after its time.
///
///     …/2026-01-31T235959.123Z/            complete
///     …/.partial-2026-02-01T000000.000Z/   in progress, or left by a crash
struct BackupFolder {
  private static let partialPrefix = ".partial-"

  let path: String

  /// The complete backups, oldest first.
  func complete() throws(SystemError) -> [String] {
    try Kernel.names(inDirectory: path).filter { name in
      Self.isName(name) && FileStatus(path + "/" + name + "/" + BackupManifest.fileName) != nil
    }.sorted()
  }

  /// Removes the remains of interrupted backups.
  func removeRemains() throws(SystemError) {
    for name in try Kernel.names(inDirectory: path) where name.hasPrefix(Self.partialPrefix) {
      try Tree.remove(path + "/" + name)
    }
  }

  /// Removes the oldest backups, except some.
  ///
  /// A partly removed backup does not count as complete, because its manifest is removed first.
  ///
  /// - Returns: The number of backups removed.
  func removeOldest(keeping count: Int) throws(SystemError) -> Int {
    let old = try complete().dropLast(count)
    for name in old {
      Kernel.unlink(path + "/" + name + "/" + BackupManifest.fileName)
      try Tree.remove(path + "/" + name)
    }
    return old.count
  }

  func partialPath(of name: String) -> String { path + "/" + Self.partialPrefix + name }
  func path(of name: String) -> String { path + "/" + name }

  /// The name of a backup: its time in UTC, without colons, which some file systems refuse.
  static func name(at milliseconds: Int64) -> String {
    UTCTime.format(milliseconds).replacing(":", with: "")
  }

  /// Whether a name is one that ``name(at:)`` makes.
  static func isName(_ text: String) -> Bool {
    let pattern = "0000-00-00T000000.000Z"
    return text.utf8.count == pattern.utf8.count
      && zip(text.utf8, pattern.utf8).allSatisfy { byte, sample in
        sample == UInt8(ascii: "0") ? (0x30...0x39).contains(byte) : byte == sample
      }
  }
}

/// The status of a path in the file system.
struct FileStatus {
  let isDirectory: Bool
  let isRegular: Bool
  let byteCount: Int64
  let owner: uid_t
  let group: gid_t
  let changed: timespec

  /// - Returns: `nil` when the path does not exist or cannot be examined. Links are not followed.
  init?(_ path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    isDirectory = status.st_mode & S_IFMT == S_IFDIR
    isRegular = status.st_mode & S_IFMT == S_IFREG
    byteCount = Int64(status.st_size)
    (owner, group, changed) = (status.st_uid, status.st_gid, status.st_mtim)
  }

  /// Whether two files have the same size and were changed at the same time.
  func isLike(_ other: FileStatus) -> Bool {
    isRegular && other.isRegular && byteCount == other.byteCount
      && changed.tv_sec == other.changed.tv_sec && changed.tv_nsec == other.changed.tv_nsec
  }
}

/// Operations on whole directories.
enum Tree {
  /// Removes a directory with its contents, or a file.
  static func remove(_ path: String) throws(SystemError) {
    guard let status = FileStatus(path) else { return }
    guard status.isDirectory else {
      guard Kernel.unlink(path) == 0 else { throw .last("unlink", on: path) }
      return
    }
    for name in try Kernel.names(inDirectory: path) { try remove(path + "/" + name) }
    guard rmdir(path) == 0 else { throw .last("rmdir", on: path) }
  }

  /// Changes the owner of a directory and its contents.
  static func give(_ path: String, to owner: uid_t, _ group: gid_t) throws(SystemError) {
    guard let status = FileStatus(path) else { return }
    guard lchown(path, owner, group) == 0 else { throw .last("chown", on: path) }
    guard status.isDirectory else { return }
    for name in try Kernel.names(inDirectory: path) {
      try give(path + "/" + name, to: owner, group)
    }
  }

  /// Waits until a file, or the names in a directory, are on disk.
  static func synchronize(_ path: String) throws(SystemError) {
    let descriptor = Kernel.uninterrupted { Kernel.open(path, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .last("open", on: path) }
    defer { Kernel.close(descriptor) }
    guard Kernel.uninterrupted({ Kernel.synchronize(descriptor) }) == 0 else {
      throw .last("fsync", on: path)
    }
  }
}
