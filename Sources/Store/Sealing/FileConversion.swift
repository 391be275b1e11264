package import ParleyProtocol

/// Lists some files that are stored unencrypted, in the order of their ids.
///
/// Pictures are left out because they are public.
package struct ClearFiles: StoreLookup {
  package var last: String
  package var limit: Int

  package init(after last: String, limit: Int) {
    self.last = last
    self.limit = limit
  }

  package var statements: ReadStatements<[String]> {
    .init { transaction in
      try transaction.connection.all(
        """
        SELECT file_id FROM files
        WHERE file_id > ? AND is_picture = 0 AND (key_id IS NULL OR is_converting <> 0)
        ORDER BY file_id LIMIT ?
        """, [last, limit]
      ) { $0[0] as String }
    }
  }
}

/// Starts encrypting a file that is stored unencrypted: stores its keys before a byte is written.
///
/// From now on the file needs a key in all messages that have it. A message being added by another
/// server is waited for.
package struct FileConversionStart: StoreWrite {
  package enum Outcome: Sendable, Hashable {
    /// The file with the keys to use, which may be those of an earlier attempt.
    case begun(FileRecord)
    /// The file is stored encrypted already.
    case sealed(FileRecord)
    /// A message has the file, which the scope does not allow.
    case inMessage
    /// The file is a picture, which is public.
    case picture
    case absent
  }

  /// The files that may be converted.
  package enum Scope: Sendable, Hashable {
    case all
    /// Only a file that no message has.
    case unsent
  }

  package var fileID: String
  package var seal: FileSeal
  package var scope: Scope

  package init(_ fileID: String, _ seal: FileSeal, _ scope: Scope) {
    self.fileID = fileID
    self.seal = seal
    self.scope = scope
  }

  package var statements: WriteStatements<Outcome> {
    .init { transaction in
      let connection = transaction.connection
      let found = try connection.first(
        """
        SELECT file_id, name, type, size, key_id, file_keys, is_converting, is_picture
        FROM files WHERE file_id = ? \(.forUpdate)
        """, [fileID]
      ) { row in
        (
          FileRecord(
            id: row[0], name: row[1], type: row[2], size: row[3],
            seal: FileSeal(masterKeyID: row[4], keys: row[5], isUnderWay: row[6])),
          isPicture: row[7] as Bool
        )
      }
      guard let found else { return .absent }
      var file = found.0
      if let seal = file.seal { return seal.isUnderWay ? .begun(file) : .sealed(file) }
      guard !found.isPicture else { return .picture }
      let holders = try connection.all(
        "SELECT message_id FROM file_messages WHERE file_id = ?", [fileID]
      ) { $0[0] as Int64 }
      guard holders.isEmpty || scope == .all else { return .inMessage }
      try connection.execute(
        "UPDATE files SET key_id = ?, file_keys = ?, is_converting = 1 WHERE file_id = ?",
        [seal.masterKeyID, seal.keys, fileID])
      try connection.execute(
        "UPDATE uploads SET key_id = ?, file_keys = ? WHERE file_id = ?",
        [seal.masterKeyID, seal.keys, fileID])
      for id in holders { try transaction.requireKey(inMessage: id) }
      file.seal = seal
      file.seal?.isUnderWay = true
      return .begun(file)
    }
  }
}

/// Records that a file is stored encrypted.
package struct FileConversionEnd: StoreWrite {
  package var fileID: String

  package init(_ fileID: String) { self.fileID = fileID }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      try transaction.connection.execute(
        "UPDATE files SET is_converting = 0 WHERE file_id = ?", [fileID])
    }
  }
}

extension WriteTransaction {
  /// Marks a stored message's file as needing a key.
  fileprivate func requireKey(inMessage id: Int64) throws {
    let text = try connection.first("SELECT file FROM messages WHERE message_id = ?", [id]) {
      $0[0] as String?
    }
    guard let text = text ?? nil else { return }
    var file = try StoredJSON.decode(StoredFile.self, from: text)
    file.auth = true
    try connection.execute(
      "UPDATE messages SET file = ? WHERE message_id = ?", [StoredJSON.encode(file), id])
  }
}
