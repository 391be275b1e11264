internal import Basics
internal import Configuration
internal import Reactor
internal import Store

/// Copies a SQLite store into PostgreSQL.
enum StoreCopying {
  /// Copies the store of a directory into a database, and returns the number of rows of each table.
  ///
  /// - Throws: `StoreError`, or ``Failure`` for a database that is not empty.
  static func copy(from directory: String, to url: String) throws -> [String: Int] {
    do {
      return try StoreCopy(from: directory, to: url, at: SystemClock.unixMilliseconds).run()
    } catch StoreError.exists {
      throw Failure(description: "the database holds data already; copy into an empty one")
    }
  }

  /// Files and master keys, with their locations in the new settings.
  struct Beside {
    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    /// Copies files and master keys, and returns the work done and the work left.
    func copy(from directory: String) throws -> [String] {
      let copy = StoredFilesCopy(from: directory)
      return [try files(copy, directory), try masterKeys(copy, directory)]
    }

    private func files(_ copy: StoredFilesCopy, _ directory: String) throws -> String {
      let source = directory + "/files"
      switch settings.files.store {
      case .dataDirectory where settings.dataDirectory == directory:
        return "files: left in \(source)"
      case .dataDirectory: return try files(copy, source, to: settings.dataDirectory)
      case .directory(let path): return try files(copy, source, to: path)
      case .bucket(let place):
        let address = DisplayText.shortened("\(place.url)/\(place.prefix)", limit: 300)
        return "files: not copied: copy the files of \(source) to \(address), under the same names"
      }
    }

    private func files(
      _ copy: StoredFilesCopy, _ source: String, to target: String
    ) throws -> String {
      "files: \(try copy.copyFiles(to: target)) of \(source) are in \(target)/files"
    }

    private func masterKeys(_ copy: StoredFilesCopy, _ directory: String) throws -> String {
      guard settings.files.masterKeyCommand == nil else {
        return "master keys: files.master_key_command must print those of \(directory)/file-keys"
      }
      let path = settings.masterKeyPath
      let rest = settings.cluster.bus == nil ? "" : "; copy the file to all servers"
      switch try copy.copyMasterKeys(to: path, at: SystemClock.unixMilliseconds) {
      case .absent: return "master keys: \(directory) has none"
      case .present, .copied: return "master keys: in \(path)\(rest)"
      case .replaced(let aside):
        return "master keys: in \(path)\(rest); those that were there are in \(aside)"
      }
    }
  }

  /// A reason for refusing the copy, for the operator.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }
}
