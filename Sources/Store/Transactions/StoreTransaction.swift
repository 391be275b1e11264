/// What can be asked inside a transaction, be it for reading or for writing.
package protocol StoreTransaction {
  /// The thread's connection.
  var connection: StoreConnection { get }
  /// How long lists may look; `nil` for as long as it takes.
  var time: QueryTime? { get }
}

/// A snapshot of the database, for the length of a read job.
package struct ReadTransaction: StoreTransaction {
  package let connection: StoreConnection
  package let time: QueryTime?

  init(connection: StoreConnection, time: QueryTime? = nil) {
    self.connection = connection
    self.time = time
  }
}

/// A writer's view, for the length of a job: sees what its batch has written so far.
package struct WriteTransaction: StoreTransaction {
  package let connection: StoreConnection
  package var time: QueryTime? { nil }
}
