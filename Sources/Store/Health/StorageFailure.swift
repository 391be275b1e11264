import GRDB

extension Error {
  /// Whether a constraint of the schema refused a row.
  var isConstraint: Bool {
    (self as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT
  }

  /// The reason, when the error says that the storage failed rather than that a job was wrong.
  var storageFailure: String? {
    if case .unavailable(let reason)? = self as? StoreError { return reason }
    guard let error = self as? DatabaseError else { return nil }
    switch error.resultCode {
    case .SQLITE_CONSTRAINT, .SQLITE_ERROR, .SQLITE_MISMATCH, .SQLITE_RANGE, .SQLITE_TOOBIG,
      .SQLITE_MISUSE, .SQLITE_AUTH:
      return nil
    default:
      return "\(error.message ?? error.resultCode.description)"
        + " (SQLite \(error.extendedResultCode.rawValue))"
    }
  }
}
