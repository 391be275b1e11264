import Configuration
import Store

extension Error {
  /// The failure to open the database, as an operator's supervisor has to see it.
  ///
  /// A PostgreSQL that refuses this server is a wrong setting: trying again does not help. One that
  /// cannot be reached is waited for, and is no failure.
  func asFailure(of settings: StoreSettings) -> any Error {
    guard settings.engine == .postgreSQL, let error = self as? StoreError, error.isOfDatabase else {
      return self
    }
    return UnusableSetting("store.url", reason: error)
  }
}

extension StoreError {
  /// Whether the database itself cannot be used: a wrong password, a missing database, a newer
  /// schema, another program's data.
  fileprivate var isOfDatabase: Bool {
    switch self {
    case .inaccessible, .damaged, .newerSchema: true
    case .unavailable, .unknown, .overloaded, .tooManyQueries, .closed, .exists, .keyExists,
      .tooManyItems, .tooLong, .tooLarge, .counterOverflow, .noUser, .notFound, .invalidPageToken,
      .unstorableText, .locked:
      false
    }
  }
}
