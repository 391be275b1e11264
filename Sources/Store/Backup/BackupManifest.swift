import ParleyProtocol
import Reactor

/// The list of a backup's contents, written when the backup is complete.
struct BackupManifest: Equatable {
  static let fileName = "backup.json"
  /// The format of backups that this version writes and reads.
  private static let format: Int64 = 1
  private static let sizeLimit = 65_536

  /// The database of a backup.
  struct Database: Equatable {
    let byteCount: Int64
    /// In hexadecimal digits.
    let sha256: String
  }

  /// Unix milliseconds.
  let createdAt: Int64
  /// `nil` when the data is in PostgreSQL.
  let database: Database?
  let fileCount: Int
  let fileByteCount: Int64

  var encoded: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("format", Self.format)
        $0.member("created_at", createdAt)
        if let database {
          $0.member(
            "database",
            object: {
              $0.member("bytes", database.byteCount)
              $0.member("sha256", database.sha256)
            })
        }
        $0.member("files", fileCount)
        $0.member("file_bytes", fileByteCount)
      }
    } + [0x0a]
  }

  /// Reads the manifest of a backup.
  static func read(in folder: String) throws -> BackupManifest {
    let path = folder + "/" + fileName
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileContents.read(path, atMost: sizeLimit)
    } catch {
      throw BackupError("\(folder) is no complete backup: \(path): \(error.reason)")
    }
    guard let root = try? JSONDocument(bytes).root, let format = root["format"]?.integer else {
      throw BackupError("\(path) is damaged: expected the JSON that a backup writes")
    }
    guard format == Self.format else {
      throw BackupError("\(folder) was written by a newer version: format \(format)")
    }
    guard let time = root["created_at"]?.integer, let count = root["files"]?.integer,
      let byteCount = root["file_bytes"]?.integer
    else { throw BackupError("\(path) is damaged: a number is missing") }
    return BackupManifest(
      createdAt: time, database: try root["database"].map { try database($0, path) },
      fileCount: Int(count), fileByteCount: byteCount)
  }

  private static func database(_ node: JSONNode, _ path: String) throws -> Database {
    guard let byteCount = node["bytes"]?.integer, let sum = node["sha256"]?.string else {
      throw BackupError("\(path) is damaged: the database's size or checksum is missing")
    }
    return Database(byteCount: byteCount, sha256: sum)
  }
}
