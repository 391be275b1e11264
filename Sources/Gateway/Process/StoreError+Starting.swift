import Configuration
import Store

extension Error {
  /// The failure to open the database, as an operator's supervisor has to see it.
  ///
  /// A database that is damaged or of a newer version, and a PostgreSQL that refuses this server, are
  /// wrong settings: trying again does not help. A PostgreSQL that cannot be reached is waited for, and
  /// is no failure; a directory that cannot be used may be one whose disk is still to come.
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
  /// Whether the database can be reached, and not be used: a wrong password, a missing database.
  fileprivate var isOfAccess: Bool { if case .inaccessible = self { true } else { false } }

  /// Whether the database itself cannot be used: a newer schema, another program's data.
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
