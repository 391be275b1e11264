import Glibc
import Reactor

/// A copy of the files that a server keeps beside its database: files of messages, and the master keys
/// of encrypted ones.
///
/// Existing files are left unchanged, so that an interrupted copy can be repeated.
package struct StoredFilesCopy: Sendable {
  /// The data directory, which no server may use in the meantime.
  private let directory: String

  package init(from directory: String) { self.directory = directory }

  /// Copies complete and unfinished files into an existing directory of files.
  ///
  /// When run as root, the copies belong to the owner of that directory.
  ///
  /// - Returns: The number of complete files that both directories have.
  /// - Throws: `StoreError` or `SystemError`.
  package func copyFiles(to target: String) throws -> Int {
    try DataDirectory.check(target)
    let lock = try DirectoryLock(directory: directory)
    defer { lock.release() }
    var files = FileCopy()
    try copy("files", to: target, counting: &files)
    var unfinished = FileCopy()
    try copy("partial", to: target, counting: &unfinished)
    return files.count
  }

  private func copy(_ name: String, to target: String, counting files: inout FileCopy) throws {
    let folder = target + "/" + name
    try files.copyAll(from: directory + "/" + name, to: folder)
    guard geteuid() == 0, let owner = FileStatus(target) else { return }
    try Tree.give(folder, to: owner.owner, owner.group)
  }

  /// The outcome for the master keys.
  package enum MasterKeys: Sendable, Equatable {
    /// The data directory has none.
    case absent
    /// The target has these keys already.
    case present
    case copied
    /// The target had other keys, which were renamed to this.
    case replaced(aside: String)
  }

  /// Copies the master keys to another key file; an existing one with other keys is set aside.
  ///
  /// - Parameter now: Unix milliseconds.
  /// - Throws: `SystemError`.
  package func copyMasterKeys(to path: String, at now: Int64) throws -> MasterKeys {
    let source = directory + "/" + StoredFileNames.masterKeys
    guard FileStatus(source) != nil else { return .absent }
    let keys = try FileContents.read(source, atMost: Self.keyByteLimit)
    var aside: String?
    if FileStatus(path) != nil {
      guard try FileContents.read(path, atMost: Self.keyByteLimit) != keys else { return .present }
      let name = path + ".replaced-" + BackupFolder.name(at: now)
      guard Kernel.rename(path, to: name) == 0 else {
        throw SystemError.last("rename", on: path)
      }
      aside = name
    }
    _ = try FileCopy.copy(source, to: path)
    let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if geteuid() == 0, let owner = FileStatus(folder.isEmpty ? "/" : folder) {
      try Tree.give(path, to: owner.owner, owner.group)
    }
    return aside.map { .replaced(aside: $0) } ?? .copied
  }

  private static let keyByteLimit = 65_536
}
