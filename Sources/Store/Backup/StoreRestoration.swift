import Glibc
import Reactor
import SQLite

/// Restores a backup to a data directory that a server can start with.
///
/// All channels get a new epoch, because clients know positions later than the backup.
package struct StoreRestoration: Sendable {
  /// The treatment of data that exists in the directory.
  package enum PresentData: Sendable {
    /// The restoration is refused.
    case refuses
    /// The data is moved to a folder in the directory.
    case isSetAside
  }

  private let backup: String
  private let dataDirectory: String
  private let filesDirectory: String?
  private let presentData: PresentData

  /// The outcome of a restoration.
  package struct Report: Sendable, Equatable {
    /// The folder of the backup.
    package let backup: String
    /// Unix milliseconds.
    package let createdAt: Int64
    /// `nil` without a database.
    package let databaseByteCount: Int64?
    package let fileCount: Int
    /// The folder with the previous data; `nil` without any.
    package let setAside: String?
    /// The entries of the data directory that are in the folder now, in order.
    package let namesSetAside: [String]
    package let masterKeys: MasterKeys
  }

  /// The master keys of encrypted files after a restoration.
  package enum MasterKeys: String, Sendable {
    /// They come from the backup.
    case restored
    /// The backup has none: the keys in the directory are kept.
    case kept
    /// Neither the backup nor the directory has any.
    case absent
  }

  /// - Parameters:
  ///   - backup: The folder of a backup, or a folder of several, of which the newest is used.
  ///   - filesDirectory: The directory of uploaded files outside the data directory; `nil` for the one
  ///     inside it.
  package init(
    of backup: String, to dataDirectory: String, filesDirectory: String?, presentData: PresentData
  ) {
    self.backup = backup
    self.dataDirectory = dataDirectory
    self.filesDirectory = filesDirectory
    self.presentData = presentData
  }

  /// Checks the backup, then restores it.
  ///
  /// - Parameter now: Unix milliseconds.
  /// - Throws: ``BackupError``, `StoreError` or `SystemError`; the present data is unchanged or set
  ///   aside.
  package func run(at now: Int64) throws -> Report {
    let source = try chosenBackup()
    let manifest = try BackupManifest.read(in: source)
    try check(source, manifest)
    try DataDirectory.create(dataDirectory)
    let lock = try lockDirectory()
    defer { lock.release() }
    try checkRoom(manifest)
    let masterKeys = masterKeys(from: source)
    let present = try presentNames(masterKeys)
    if !present.isEmpty, case .refuses = presentData {
      let names = present.prefix(3).joined(separator: ", ")
      throw BackupError(
        "\(dataDirectory) is not empty (\(names)\(present.count > 3 ? ", …" : "")): "
          + "restore into an empty directory, or use --replace to set its data aside")
    }
    let name = BackupFolder.name(at: now)
    let staging = dataDirectory + "/.restoring-" + name
    do {
      try copy(source, to: staging)
      try Tree.synchronize(staging)
    } catch {
      try? Tree.remove(staging)
      throw error
    }
    let aside = try setAside(present, named: name)
    try moveIntoPlace(staging)
    return Report(
      backup: source, createdAt: manifest.createdAt,
      databaseByteCount: manifest.database?.byteCount, fileCount: manifest.fileCount,
      setAside: aside, namesSetAside: present, masterKeys: masterKeys)
  }

  private func chosenBackup() throws -> String {
    guard FileStatus(backup)?.isDirectory ?? false else {
      throw BackupError("\(backup) is not a folder; expected a backup")
    }
    guard FileStatus(backup + "/" + BackupManifest.fileName) == nil else { return backup }
    let folder = BackupFolder(path: backup)
    guard let newest = try folder.complete().last else {
      throw BackupError(
        "\(backup) holds no complete backup: there is no \(BackupManifest.fileName)")
    }
    return folder.path(of: newest)
  }

  private func lockDirectory() throws -> DirectoryLock {
    do {
      return try DirectoryLock(directory: dataDirectory)
    } catch StoreError.locked(let directory, let processID) {
      throw BackupError("\(directory) is in use by process \(processID): stop the server first")
    }
  }

  // MARK: Checks

  private func check(_ source: String, _ manifest: BackupManifest) throws {
    if let database = manifest.database { try check(database, in: source) }
    let files = source + "/" + StoredFileNames.files
    let names = try FileStatus(files) == nil ? [] : Kernel.names(inDirectory: files)
    let sizes = names.compactMap { FileStatus(files + "/" + $0) }
    let byteCount = sizes.reduce(0) { $0 + $1.byteCount }
    guard sizes.count == manifest.fileCount, byteCount == manifest.fileByteCount else {
      throw BackupError(
        "\(files) is damaged: it holds \(sizes.count) files with \(byteCount) bytes; "
          + "\(manifest.fileCount) files with \(manifest.fileByteCount) bytes are expected")
    }
  }

  private func check(_ database: BackupManifest.Database, in source: String) throws {
    let path = source + "/" + StoredFileNames.database
    guard FileStatus(path)?.byteCount == database.byteCount,
      try FileCopy.sha256(of: path) == database.sha256
    else { throw BackupError("\(path) is damaged: its checksum is not that of the backup") }
    do {
      let copy = try Database(path: path, access: .readOnly)
      defer { copy.close() }
      let finding: String? = try copy.value("PRAGMA quick_check(1)")
      guard finding == "ok",
        try copy.number("PRAGMA application_id") == IntegrityCheck.applicationID
      else { throw StoreError.damaged(path: path, reason: finding ?? "the check gave no answer") }
      try Migrations.check(copy, path: path)
    } catch let error as DatabaseError {
      throw StoreError.damaged(path: path, reason: error.message)
    }
  }

  private func checkRoom(_ manifest: BackupManifest) throws {
    let needed = (manifest.database?.byteCount ?? 0) + manifest.fileByteCount
    guard let room = FileSystemRoom.byteCount(below: dataDirectory), room < needed else { return }
    throw BackupError(
      "\(dataDirectory) has room for \(room) bytes; the backup has \(needed) bytes")
  }

  // MARK: Changes

  /// Backups include the master keys only on request, and the restored files may need the existing ones.
  private func masterKeys(from source: String) -> MasterKeys {
    if FileStatus(source + "/" + StoredFileNames.masterKeys) != nil { return .restored }
    return FileStatus(dataDirectory + "/" + StoredFileNames.masterKeys) != nil ? .kept : .absent
  }

  /// The entries of the data directory to move aside, without its lock and data set aside earlier.
  private func presentNames(_ masterKeys: MasterKeys) throws(SystemError) -> [String] {
    try Kernel.names(inDirectory: dataDirectory).filter {
      $0 != StoredFileNames.lock && !$0.hasPrefix(Self.asidePrefix)
        && (masterKeys != .kept || $0 != StoredFileNames.masterKeys)
    }.sorted()
  }

  private static let asidePrefix = "replaced-"

  private func copy(_ source: String, to staging: String) throws {
    guard Kernel.makeDirectory(staging, 0o700) == 0 else {
      throw SystemError.last("mkdir", on: staging)
    }
    var files = FileCopy()
    let target = filesDirectory ?? staging + "/" + StoredFileNames.files
    try files.copyAll(from: source + "/" + StoredFileNames.files, to: target)
    for name in [StoredFileNames.apiToken, StoredFileNames.masterKeys, StoredFileNames.database] {
      _ = try FileCopy.copy(source + "/" + name, to: staging + "/" + name)
    }
    let database = staging + "/" + StoredFileNames.database
    if FileStatus(database) != nil { _ = try EpochRenewals.run(inFile: database) }
    guard geteuid() == 0, let status = FileStatus(dataDirectory) else { return }
    try Tree.give(staging, to: status.owner, status.group)
  }

  /// - Returns: The folder with the old data; `nil` without any.
  private func setAside(_ names: [String], named name: String) throws(SystemError) -> String? {
    guard !names.isEmpty else { return nil }
    let aside = dataDirectory + "/" + Self.asidePrefix + name
    guard Kernel.makeDirectory(aside, 0o700) == 0 else { throw .last("mkdir", on: aside) }
    for name in names { try move(dataDirectory + "/" + name, to: aside + "/" + name) }
    return aside
  }

  /// The database is moved last: without it, the directory does not count as a server's.
  private func moveIntoPlace(_ staging: String) throws(SystemError) {
    let names = try Kernel.names(inDirectory: staging)
    for name in names where name != StoredFileNames.database {
      try move(staging + "/" + name, to: dataDirectory + "/" + name)
    }
    for name in names where name == StoredFileNames.database {
      try move(staging + "/" + name, to: dataDirectory + "/" + name)
    }
    try Tree.remove(staging)
    try Tree.synchronize(dataDirectory)
  }

  private func move(_ path: String, to target: String) throws(SystemError) {
    guard Kernel.rename(path, to: target) == 0 else { throw .last("rename", on: path) }
  }
}
