import Foundation
import GRDB

/// Bytes in a BLOB column.
struct DatabaseBytes: DatabaseValueConvertible {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var databaseValue: DatabaseValue { Data(bytes).databaseValue }

  static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseBytes? {
    Data.fromDatabaseValue(value).map { DatabaseBytes([UInt8]($0)) }
  }
}
