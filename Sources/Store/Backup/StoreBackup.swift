import Glibc
import Reactor
import SQLite

/// A part of a server's data that a backup may hold.
package enum BackupPart: Sendable, Hashable {
  /// The SQLite database.
  case database
  /// The master keys of encrypted files.
  case masterKeys
}

/// A copy of a server's data, whether the server is running or not.
///
/// The copy is made next to the complete backups and gets its name when all of it is on disk, so that an
/// incomplete backup is never mistaken for a complete one.
package struct StoreBackup: Sendable {
  private let dataDirectory: String
  private let filesDirectory: String?
  private let folder: String
  private let parts: Set<BackupPart>

  /// The outcome of a backup.
  package struct Report: Sendable, Equatable {
    /// The folder of the backup.
    package let path: String
    /// `nil` without a database.
    package let databaseByteCount: Int64?
    package let fileCount: Int
    package let fileByteCount: Int64
    /// The files that an earlier backup has too, which take no additional space.
    package let sharedFileCount: Int
    /// The old backups that were removed.
    package let removedCount: Int
  }

  /// - Parameters:
  ///   - filesDirectory: The directory with uploaded files; `nil` when they are elsewhere.
  ///   - folder: The folder of the backups, which is created when missing.
  package init(
    of dataDirectory: String, filesDirectory: String?, parts: Set<BackupPart>, in folder: String
  ) {
    self.dataDirectory = dataDirectory
    self.filesDirectory = filesDirectory
    self.parts = parts
    self.folder = folder
  }

  /// Makes a backup.
  ///
  /// - Parameters:
  ///   - now: Unix milliseconds.
  ///   - kept: The number of backups to keep, including the new one; `nil` for all.
  /// - Throws: ``BackupError``, `StoreError` or `SystemError`.
  package func run(at now: Int64, keeping kept: Int?) throws -> Report {
    guard FileStatus(dataDirectory)?.isDirectory ?? false || !parts.contains(.database) else {
      throw BackupError("\(dataDirectory) is not a directory; expected the data_dir of a server")
    }
    try DataDirectory.create(folder)
    let lock = try lockFolder()
    defer { lock.release() }
    let place = BackupFolder(path: folder)
    try place.removeRemains()
    let earlier = try place.complete().last.map { place.path(of: $0) }
    // The new name sorts last even if the clock was set back: the last backup is the one restored, and
    // the first ones are removed.
    let last = earlier.flatMap { try? BackupManifest.read(in: $0).createdAt }
    let now = max(now, last.map { $0 + 1 } ?? now)
    let name = BackupFolder.name(at: now)
    let (partial, complete) = (place.partialPath(of: name), place.path(of: name))
    guard FileStatus(complete) == nil else { throw BackupError("\(complete) exists already") }
    let manifest: BackupManifest
    let files: FileCopy
    do {
      (manifest, files) = try copy(to: partial, sharingWith: earlier, at: now)
      try Tree.synchronize(partial)
      guard Kernel.rename(partial, to: complete) == 0 else {
        throw SystemError.last("rename", on: partial)
      }
      try Tree.synchronize(folder)
    } catch {
      try? Tree.remove(partial)
      throw error
    }
    return Report(
      path: complete, databaseByteCount: manifest.database?.byteCount,
      fileCount: files.count, fileByteCount: files.byteCount, sharedFileCount: files.linkCount,
      removedCount: try kept.map { try place.removeOldest(keeping: max(1, $0)) } ?? 0)
  }

  private func lockFolder() throws -> DirectoryLock {
    do {
      return try DirectoryLock(directory: folder)
    } catch StoreError.locked(_, let processID) {
      throw BackupError("another backup is written to \(folder) by process \(processID)")
    }
  }

  /// Copies the database first: all files that it names exist afterwards, except those removed in
  /// between.
  private func copy(
    to target: String, sharingWith earlier: String?, at now: Int64
  ) throws -> (BackupManifest, FileCopy) {
    guard Kernel.makeDirectory(target, 0o700) == 0 else {
      throw SystemError.last("mkdir", on: target)
    }
    var database: BackupManifest.Database?
    if parts.contains(.database) {
      database = try copyDatabase(to: target + "/" + StoredFileNames.database)
    }
    var files = FileCopy()
    if let filesDirectory {
      try files.copyAll(
        from: filesDirectory, to: target + "/" + StoredFileNames.files,
        sharingWith: earlier.map { $0 + "/" + StoredFileNames.files })
    }
    for name in smallFiles {
      _ = try FileCopy.copy(dataDirectory + "/" + name, to: target + "/" + name)
    }
    let manifest = BackupManifest(
      createdAt: now, database: database, fileCount: files.count, fileByteCount: files.byteCount)
    let list = try NewFile(at: target + "/" + BackupManifest.fileName)
    try list.append(manifest.encoded)
    try list.synchronize()
    return (manifest, files)
  }

  private var smallFiles: [String] {
    [StoredFileNames.apiToken]
      + (parts.contains(.masterKeys) ? [StoredFileNames.masterKeys] : [])
  }

  /// Copies one consistent state of the database without blocking its writer.
  private func copyDatabase(to target: String) throws -> BackupManifest.Database {
    let path = dataDirectory + "/" + StoredFileNames.database
    guard FileStatus(path) != nil else {
      throw BackupError("\(path) does not exist; expected the database of a server")
    }
    do {
      let source = try Database(path: path, access: .readOnly)
      defer { source.close() }
      try source.execute(script: "PRAGMA busy_timeout = 10000")
      let owner = try source.number("PRAGMA application_id")
      guard owner == IntegrityCheck.applicationID else {
        throw StoreError.damaged(path: path, reason: "another application's database")
      }
      try source.execute("VACUUM INTO ?", [target])
    } catch let error as DatabaseError {
      throw StoreError.inaccessible(path: path, reason: error.message)
    }
    chmod(target, 0o600)
    try Tree.synchronize(target)
    return BackupManifest.Database(
      byteCount: FileStatus(target)?.byteCount ?? 0, sha256: try FileCopy.sha256(of: target))
  }
}

/// The names of the files in a server's data directory.
enum StoredFileNames {
  static let database = "parley.sqlite"
  static let files = "files"
  static let apiToken = "api-token"
  static let masterKeys = "file-keys"
  static let lock = "lock"
}
