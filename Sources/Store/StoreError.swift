/// The reason why the store refused or failed a job.
package enum StoreError: Error, Hashable, Sendable {
  /// The disk or the file failed (full, I/O, damaged …); nothing of the job's batch was kept.
  case unavailable(reason: String)
  /// The commit of the job's transaction was interrupted: all of it was kept, or nothing.
  case unknown(reason: String)
  /// Too many jobs are waiting already.
  case overloaded
  /// `limit` queries of one principal are waiting already.
  case tooManyQueries(limit: Int)
  /// The store has been closed.
  case closed
  /// An object of this name exists already.
  case exists
  /// An item with this key exists already.
  case keyExists(String)
  /// The number of items would exceed `limit`.
  case tooManyItems(limit: Int)
  /// A key or value of metadata is longer than `limit` characters.
  case tooLong(key: String, limit: Int)
  /// The metadata of a user would hold more than `limit` bytes in total.
  case tooLarge(byteCount: Int, limit: Int)
  /// The counter of this key would leave the range of 64-bit integers.
  case counterOverflow(key: String)
  /// No user has this id.
  case noUser(String)
  /// The object does not exist.
  case notFound(StoreResource)
  /// A page token that this store did not create, or created for another query.
  case invalidPageToken
  /// A text contains U+0000, which the database cannot store.
  case unstorableText
  /// Another process uses the directory; `processID` is 0 when the process is unknown.
  case locked(directory: String, processID: Int32)
  /// The directory or a file in it cannot be used.
  case inaccessible(path: String, reason: String)
  /// The database file, or a record in it, does not have the content that this store wrote.
  case damaged(path: String, reason: String)
  /// The database was written by a newer version of the server.
  case newerSchema(path: String)
}

/// The kind of thing that a job did not find.
package enum StoreResource: String, Hashable, Sendable {
  case channel
  case message
  case metadata = "metadata key"
  case metacounter = "metacounter key"
  case token
  case file
  case report
}

extension StoreError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .unavailable(let reason): "the store is unavailable: \(reason)"
    case .unknown(let reason): "the store does not know whether it kept the change: \(reason)"
    case .overloaded: "the store has too many jobs waiting"
    case .tooManyQueries(let limit):
      "\(limit) queries of the same user or token are waiting already"
    case .closed: "the store is closed"
    case .exists: "it exists already"
    case .keyExists(let key): "the key '\(key)' exists already"
    case .tooManyItems(let limit): "there may be \(limit) of them at most"
    case .tooLong(let key, let limit):
      "the key or value of '\(key.prefix(64))' is longer than \(limit) characters"
    case .tooLarge(let byteCount, let limit):
      "the metadata holds \(byteCount) bytes together, more than \(limit)"
    case .counterOverflow(let key): "the counter '\(key)' would leave the range of its numbers"
    case .noUser(let id): "no user '\(id.prefix(80))'"
    case .notFound(let resource): "no such \(resource.rawValue)"
    case .invalidPageToken: "the page token is not one of this query"
    case .unstorableText: "a text may not hold the character U+0000"
    case .locked(let directory, let processID):
      "the data directory \(directory) is in use by another server"
        + (processID > 0 ? " (process \(processID))" : "")
    case .inaccessible(let path, let reason): "cannot use \(path): \(reason)"
    case .damaged(let path, let reason): "\(path) is damaged or not a Parley database: \(reason)"
    case .newerSchema(let path): "\(path) was written by a newer version of the server"
    }
  }
}
