import Channels

/// A proof that a server has a master key: a number derived from the key that does not reveal it.
package struct MasterKeyProof: Sendable, Hashable {
  package var keyID: String
  package var proof: [UInt8]

  package init(keyID: String, proof: [UInt8]) {
    self.keyID = keyID
    self.proof = proof
  }
}

/// The master keys that the deployment's servers have used, and those that files need.
package struct MasterKeyUse: Sendable, Hashable {
  package var registered: [MasterKeyProof]
  /// The id of the key that the deployment's servers wrap with; `nil` before the first.
  package var currentID: String?
  /// The key ids that rows refer to.
  package var needed: Set<String>

  /// The ids of the keys that a server must have, in order.
  ///
  /// When several servers share the store, the current key of the deployment is included: files that
  /// other servers encrypt from now on, and the keys that they issue to users, need it.
  package func required(_ sharing: StoreSharing) -> [String] {
    switch sharing {
    case .alone: needed.sorted()
    case .shared: currentID.map { needed.union([$0]) }?.sorted() ?? needed.sorted()
    }
  }

  /// Checks the keys of a server.
  ///
  /// - Parameter proofs: All keys of the server.
  /// - Returns: `nil` when they match those of the deployment.
  package func obstacle(
    to proofs: [MasterKeyProof], _ sharing: StoreSharing
  ) -> MasterKeyObstacle? {
    let given = Dictionary(proofs.map { ($0.keyID, $0.proof) }) { first, _ in first }
    for known in registered {
      if let proof = given[known.keyID], proof != known.proof { return .differs(known.keyID) }
    }
    let missing = required(sharing).filter { given[$0] == nil }
    return missing.isEmpty ? nil : .lacks(missing)
  }
}

/// The reason why the keys of a server do not match those of its deployment.
package enum MasterKeyObstacle: Sendable, Hashable {
  /// The key with this id is a different one.
  case differs(String)
  /// The keys with these ids are missing.
  case lacks([String])
}

/// Reads which master keys exist and which are needed.
package struct MasterKeyUseLookup: StoreLookup {
  package init() {}

  package var statements: ReadStatements<MasterKeyUse> {
    .init { transaction in try MasterKeyUse(transaction.connection) }
  }
}

extension MasterKeyUse {
  /// The row of `meta` that identifies the current key by the first bytes of its proof.
  fileprivate static let currentRow = "file_master_key"

  init(_ connection: StoreConnection) throws {
    registered = try connection.all(
      "SELECT key_id, proof FROM file_master_keys ORDER BY key_id", []
    ) { MasterKeyProof(keyID: $0[0], proof: $0[1]) }
    let number = try connection.first("SELECT value FROM meta WHERE key = ?", [Self.currentRow]) {
      $0[0] as Int64
    }
    // Before this row was written, a deployment with one key had no other.
    currentID =
      registered.first { $0.number == number }?.keyID
      ?? (registered.count == 1 ? registered[0].keyID : nil)
    needed = []
    for table in SealedRow.Table.allCases {
      needed.formUnion(
        try connection.all(
          """
          SELECT DISTINCT key_id FROM \(table.rawValue)
          WHERE key_id IS NOT NULL AND key_id <> ''
          """, []
        ) { $0[0] as String })
    }
  }
}

extension MasterKeyProof {
  /// The first eight bytes.
  fileprivate var number: Int64 {
    Int64(bitPattern: proof.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }
}

/// Joins the deployment with the master keys of a server, the current one first.
///
/// Outcome: `nil` when they match those of the deployment, or are its first; otherwise nothing changes.
package struct MasterKeyJoin: StoreWrite {
  package var proofs: [MasterKeyProof]
  package var sharing: StoreSharing

  package init(_ proofs: [MasterKeyProof], _ sharing: StoreSharing) {
    self.proofs = proofs
    self.sharing = sharing
  }

  /// Serializes the checks of servers that start at the same time; SQLite has one writer.
  private static let keepingOthersOut = StoreStatement(
    sqlite: "SELECT 1", postgreSQL: "LOCK TABLE file_master_keys IN EXCLUSIVE MODE")

  package var statements: WriteStatements<MasterKeyObstacle?> {
    .init { transaction in
      let connection = transaction.connection
      try connection.execute(Self.keepingOthersOut)
      let use = try MasterKeyUse(connection)
      if let obstacle = use.obstacle(to: proofs, sharing) { return obstacle }
      for proof in proofs {
        try connection.execute(
          """
          INSERT INTO file_master_keys (key_id, proof) VALUES (?, ?) ON CONFLICT DO NOTHING
          """, [proof.keyID, proof.proof])
      }
      guard let current = proofs.first else { return nil }
      try connection.execute(.settingMeta(), [MasterKeyUse.currentRow, current.number])
      return nil
    }
  }
}

/// The stored keys of a file or of an upload.
package struct SealedRow: Sendable, Hashable {
  /// The table of the row.
  package enum Table: String, Sendable, CaseIterable {
    case files
    case uploads
  }

  package var table: Table
  package var fileID: String
  package var masterKeyID: String
  package var keys: [UInt8]
  /// The key of the tail of an incomplete upload.
  package var tailKey: [UInt8]?

  package init(
    table: Table, fileID: String, masterKeyID: String, keys: [UInt8], tailKey: [UInt8]? = nil
  ) {
    self.table = table
    self.fileID = fileID
    self.masterKeyID = masterKeyID
    self.keys = keys
    self.tailKey = tailKey
  }
}

/// Lists some rows whose keys are wrapped with a master key other than the current one.
package struct RowsToRewrap: StoreLookup {
  package var currentID: String
  package var limit: Int

  package init(except currentID: String, limit: Int) {
    self.currentID = currentID
    self.limit = limit
  }

  package var statements: ReadStatements<[SealedRow]> {
    .init { transaction in
      var rows: [SealedRow] = []
      for table in SealedRow.Table.allCases {
        let tailKey = table == .uploads ? "tail_key" : "NULL"
        rows += try transaction.connection.all(
          """
          SELECT file_id, key_id, file_keys, \(tailKey) FROM \(table.rawValue)
          WHERE key_id IS NOT NULL AND key_id <> '' AND key_id <> ? ORDER BY key_id, file_id LIMIT ?
          """, [currentID, limit]
        ) {
          SealedRow(
            table: table, fileID: $0[0], masterKeyID: $0[1], keys: $0[2] ?? [], tailKey: $0[3])
        }
      }
      return rows
    }
  }
}

/// Replaces the wrapped keys of rows that have not changed since they were read.
package struct KeysRewrapped: StoreWrite {
  package struct Change: Sendable, Hashable {
    package var old: SealedRow
    package var new: SealedRow

    package init(_ old: SealedRow, _ new: SealedRow) {
      self.old = old
      self.new = new
    }
  }

  package var changes: [Change]

  package init(_ changes: [Change]) { self.changes = changes }

  package var urgency: WriteUrgency { .aside }

  package var statements: WriteStatements<Void> {
    .init { transaction in
      for change in changes {
        let new = change.new
        switch new.table {
        case .files:
          try transaction.connection.execute(
            """
            UPDATE files SET key_id = ?, file_keys = ?
            WHERE file_id = ? AND key_id = ? AND file_keys = ?
            """, [new.masterKeyID, new.keys, new.fileID, change.old.masterKeyID, change.old.keys])
        case .uploads:
          try transaction.connection.execute(
            """
            UPDATE uploads SET key_id = ?, file_keys = ?, tail_key = ?
            WHERE file_id = ? AND key_id = ? AND file_keys = ?
            """,
            [
              new.masterKeyID, new.keys, new.tailKey, new.fileID, change.old.masterKeyID,
              change.old.keys,
            ])
        }
      }
    }
  }
}

/// The numbers of files by storage form.
package struct SealedFileCount: Sendable, Hashable {
  /// Unencrypted files, without pictures.
  package var clear: Int
  package var sealed: Int
  /// Encrypted files whose keys are wrapped with a master key other than the current one.
  package var toRewrap: Int
}

/// Counts files by storage form.
package struct SealedFileCounting: StoreQuery {
  package var currentID: String

  package init(currentID: String) { self.currentID = currentID }

  package var statements: ReadStatements<SealedFileCount> {
    .init { transaction in
      try transaction.connection.first(
        """
        SELECT
          (SELECT count(*) FROM files WHERE key_id IS NULL AND is_picture = 0 OR is_converting <> 0),
          (SELECT count(*) FROM files WHERE key_id IS NOT NULL AND is_converting = 0),
          (SELECT count(*) FROM files WHERE key_id IS NOT NULL AND key_id <> ?1)
            + (SELECT count(*) FROM uploads WHERE key_id IS NOT NULL AND key_id <> ''
               AND key_id <> ?1)
        """, [currentID]
      ) { SealedFileCount(clear: $0[0], sealed: $0[1], toRewrap: $0[2]) }
        ?? SealedFileCount(clear: 0, sealed: 0, toRewrap: 0)
    }
  }
}
