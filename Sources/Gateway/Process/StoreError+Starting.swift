import Configuration
import Store

extension Error {
  /// Converts a failure to open the database to the error that the operator's supervisor needs.
  ///
  /// A damaged or newer database, and a PostgreSQL that refuses this server, are wrong settings: another
  /// attempt does not help. A PostgreSQL that cannot be reached is waited for, and is not a failure. A
  /// directory that cannot be used may be on a disk that is not mounted yet.
  func asFailure(of settings: StoreSettings) -> any Error {
    guard let error = self as? StoreError else { return self }
    switch settings.engine {
    case .postgreSQL where error.isOfDatabase || error.isOfAccess:
      return UnusableSetting("store.url", reason: error)
    case .sqlite where error.isOfDatabase: return UnusableSetting("data_dir", reason: error)
    case .postgreSQL, .sqlite: return error
    }
  }
}

extension StoreError {
  /// Whether the database can be reached but not used: a wrong password, a missing database.
  fileprivate var isOfAccess: Bool { if case .inaccessible = self { true } else { false } }

  /// Whether the database itself cannot be used: a newer schema, or data of another program.
  fileprivate var isOfDatabase: Bool {
    switch self {
    case .damaged, .newerSchema: true
    case .inaccessible, .unavailable, .unknown, .overloaded, .tooManyQueries, .closed, .exists,
      .keyExists,
      .tooManyItems, .tooLong, .tooLarge, .counterOverflow, .noUser, .notFound, .invalidPageToken,
      .unstorableText, .locked:
      false
    }
  }
}
