import CPostgreSQL

/// The outcome of a statement: its rows, if it returns any, all in memory.
package final class PostgreSQLRows {
  private let result: OpaquePointer

  /// Takes over a result of libpq.
  init(_ result: OpaquePointer) {
    self.result = result
  }

  deinit { PQclear(result) }

  /// The number of returned rows.
  package var count: Int { Int(PQntuples(result)) }

  /// The number of rows inserted, changed or deleted; for a query, of rows returned.
  package var changedCount: Int {
    PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0
  }

  /// The server's command tag: `COMMIT`, or `ROLLBACK` for a transaction that had failed.
  package var tag: String { PQcmdStatus(result).map { String(cString: $0) } ?? "" }

  package func isNull(_ row: Int, _ column: Int) -> Bool {
    PQgetisnull(result, Int32(row), Int32(column)) != 0
  }

  /// An integer or a truth value; 0 for NULL and for other values.
  package func integer(_ row: Int, _ column: Int) -> Int64 {
    bytes(row, column) { bytes in
      switch PQftype(result, Int32(column)) {
      case PostgreSQLType.integer where bytes.count == 8:
        Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
      case PostgreSQLType.mediumInteger where bytes.count == 4:
        Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
      case PostgreSQLType.shortInteger where bytes.count == 2:
        Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
      case PostgreSQLType.boolean where bytes.count == 1: Int64(bytes[0])
      default: 0
      }
    }
  }

  /// A text; empty for NULL.
  package func text(_ row: Int, _ column: Int) -> String {
    bytes(row, column) { String(decoding: $0, as: UTF8.self) }
  }

  /// The bytes of a `bytea`, or of a text; empty for NULL.
  package func bytes(_ row: Int, _ column: Int) -> [UInt8] {
    bytes(row, column) { Array($0) }
  }

  /// libpq keeps the bytes until the result is cleared.
  private func bytes<T>(_ row: Int, _ column: Int, _ body: (UnsafeRawBufferPointer) -> T) -> T {
    let (row, column) = (Int32(row), Int32(column))
    return body(
      UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))))
  }
}
