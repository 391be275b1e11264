import SQLite

extension Error {
  /// Whether a constraint of the schema refused a row.
  var isConstraint: Bool {
    (self as? DatabaseError)?.code == .constraint
  }

  /// The reason, when the error says that the storage failed rather than that a job was wrong.
  var storageFailure: String? {
    if case .unavailable(let reason)? = self as? StoreError { return reason }
    if let failure = self as? CommitFailure { return failure.reason }
    guard let error = self as? DatabaseError, !DatabaseError.faultsOfJobs.contains(error.code)
    else { return nil }
    return "\(error.message) (SQLite \(error.extendedCode))"
  }
}

extension DatabaseError {
  fileprivate static let faultsOfJobs: Set<Code> = [
    .constraint, .error, .mismatch, .range, .tooBig, .misuse, .notAuthorized,
  ]
}
