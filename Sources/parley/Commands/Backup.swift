internal import ArgumentParser
internal import Basics
internal import Configuration
internal import ParleyProtocol
internal import Reactor
internal import Store

/// Backs up the data of the gateway on this machine.
struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Back up the data of a gateway on this machine.",
    discussion: """
      Writes the database, uploaded files and the first API token into a new folder in FOLDER, named \
      after the time. The gateway may run meanwhile. Files that have not changed since the previous \
      backup are linked to it and take no room again. A backup that fails leaves nothing behind. The \
      master keys of encrypted files are left out unless --with-master-keys is given: whoever has \
      both can read the files.

      A database in PostgreSQL and files in a bucket are not copied: use pg_dump and the means of the \
      bucket's provider.

      EXAMPLES:
        parley backup /var/backups/parley --config /etc/parley/parley.yaml --keep 7
        parley backup backups --data-dir parley-data
      """)

  @Argument(help: ArgumentHelp("The folder of the backups.", valueName: "folder"))
  var folder: String

  @OptionGroup var place: DataOptions

  @Option(
    help: ArgumentHelp(
      "Remove the oldest backups, so that this many stay. (default: all stay)",
      valueName: "count"))
  var keep: Int?

  @Flag(help: "Include the master keys of encrypted files.")
  var withMasterKeys = false

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !folder.isEmpty else { throw ValidationError("the folder is empty") }
    guard keep ?? 1 >= 1 else {
      throw ValidationError("--keep is \(keep ?? 0); a number of at least 1 is expected")
    }
  }

  func run() throws {
    let data = try place.data()
    var parts: Set<BackupPart> = data.hasDatabase ? [.database] : []
    if withMasterKeys { parts.insert(.masterKeys) }
    let backup = StoreBackup(
      of: data.directory, filesDirectory: data.filesDirectory, parts: parts, in: folder)
    let report: StoreBackup.Report
    do {
      report = try backup.run(at: SystemClock.unixMilliseconds, keeping: keep)
    } catch {
      throw CommandFailure.refused("\(error)", code: 0)
    }
    for note in data.notes { StandardError.write(note) }
    try output.show(Self.answer(report), as: Self.lines)
  }

  private static func answer(_ report: StoreBackup.Report) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("backup", report.path)
        if let byteCount = report.databaseByteCount { $0.member("database_bytes", byteCount) }
        $0.member("files", report.fileCount)
        $0.member("file_bytes", report.fileByteCount)
        $0.member("shared_files", report.sharedFileCount)
        $0.member("removed_backups", report.removedCount)
      }
    }
  }

  private static func lines(_ answer: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("backup", answer.text("backup"))
    if answer["database_bytes"] != nil {
      fields.add("database", "\(answer.number("database_bytes")) bytes")
    }
    fields.add(
      "files",
      "\(answer.number("files")), \(answer.number("file_bytes")) bytes; "
        + "\(answer.number("shared_files")) shared with the previous backup")
    fields.add("removed", "\(answer.number("removed_backups")) old backups")
    return fields.lines()
  }
}

/// Restores the data of a gateway on this machine from a backup.
struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restore the data of a gateway from a backup.",
    discussion: """
      Checks the backup, then copies it into the data directory, which must be empty. With --replace \
      the present data is moved to a folder in the directory instead. The master keys of encrypted \
      files stay where they are unless the backup has some. No gateway may use the directory \
      meanwhile. Run as root, the restored files belong to the owner of the directory. Clients load \
      their channels again: the positions that they know are not those of the backup.

      EXAMPLES:
        parley restore /var/backups/parley --config /etc/parley/parley.yaml --replace
        parley restore backups/2026-01-31T235959.123Z --data-dir parley-data
      """)

  @Argument(
    help: ArgumentHelp(
      "The folder of one backup, or of several: then the newest is restored.",
      valueName: "backup"))
  var backup: String

  @OptionGroup var place: DataOptions

  @Flag(help: "Set the present data of the directory aside.")
  var replace = false

  @OptionGroup var output: OutputOptions

  func run() throws {
    let data = try place.data()
    let restoration = StoreRestoration(
      of: backup, to: data.directory, filesDirectory: data.outerFilesDirectory,
      presentData: replace ? .isSetAside : .refuses)
    let report: StoreRestoration.Report
    do {
      report = try restoration.run(at: SystemClock.unixMilliseconds)
    } catch {
      throw CommandFailure.refused("\(error)", code: 0)
    }
    if report.databaseByteCount == nil {
      StandardError.write(
        "the backup has no database: restore PostgreSQL with pg_restore or psql, then run 'parley store new-epochs'"
      )
    }
    try output.show(Self.answer(report, directory: data.directory), as: Self.lines)
  }

  private static func answer(
    _ report: StoreRestoration.Report, directory: String
  ) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("backup", report.backup)
        $0.member("created_at", report.createdAt)
        $0.member("data_dir", directory)
        if let byteCount = report.databaseByteCount { $0.member("database_bytes", byteCount) }
        $0.member("files", report.fileCount)
        $0.member("master_keys", report.masterKeys.rawValue)
        if let folder = report.setAside {
          $0.member("set_aside", folder)
          $0.member("names_set_aside", report.namesSetAside)
        }
      }
    }
  }

  private static func lines(_ answer: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("restored", answer.text("backup"))
    fields.add("of", answer.time("created_at"))
    fields.add("to", answer.text("data_dir"))
    fields.add("files", answer.number("files"))
    fields.add("master keys", Self.masterKeys(answer.text("master_keys")))
    let names = answer.list("names_set_aside").compactMap(\.string)
    fields.add(
      "set aside",
      names.isEmpty ? "" : "\(names.joined(separator: ", ")) in \(answer.text("set_aside"))")
    return fields.lines()
  }
}

extension RestoreCommand {
  private static func masterKeys(_ outcome: String) -> String {
    switch StoreRestoration.MasterKeys(rawValue: outcome) {
    case .restored: "those of the backup"
    case .kept: "those of the data directory, because the backup has none"
    case .absent, nil:
      "none: put the file-keys of the server back if it has encrypted files"
    }
  }
}

/// Options for the data of the gateway on this machine.
struct DataOptions: ParsableArguments {
  @OptionGroup var settings: SettingsOptions

  @Option(
    help: ArgumentHelp(
      "The data directory. (default: data_dir of the settings)", valueName: "directory"),
    completion: .directory)
  var dataDir: String?

  /// Returns the locations of the data.
  func data() throws -> GatewayData {
    GatewayData(try settings.settings(), directory: dataDir)
  }
}

/// The locations of a gateway's data.
struct GatewayData {
  let directory: String
  /// Whether the database is in the directory.
  let hasDatabase: Bool
  /// The directory of uploaded files outside the data directory; `nil` when they are in it, or in a
  /// bucket.
  let outerFilesDirectory: String?
  /// The location of the database.
  let store: StorePlace
  private let filePlace: FilePlace

  init(_ settings: Settings, directory: String?) {
    self.directory = directory ?? settings.dataDirectory
    hasDatabase = settings.store.url == nil
    store = StorePlace(url: settings.store.url?.value, directory: self.directory)
    filePlace = settings.files.store
    outerFilesDirectory =
      switch settings.files.store {
      case .dataDirectory, .bucket: nil
      case .directory(let path): path + "/files"
      }
  }

  /// The directory of uploaded files; `nil` when they are in a bucket.
  var filesDirectory: String? {
    switch filePlace {
    case .dataDirectory: directory + "/files"
    case .directory: outerFilesDirectory
    case .bucket: nil
    }
  }

  /// Notes about data omitted from a backup.
  var notes: [String] {
    var notes: [String] = []
    if !hasDatabase {
      notes.append("the database is in PostgreSQL and not in this backup: use pg_dump for it")
    }
    if case .bucket = filePlace {
      notes.append("uploaded files are in \(DisplayText.shortened("\(filePlace)")), not copied")
    }
    return notes
  }
}
