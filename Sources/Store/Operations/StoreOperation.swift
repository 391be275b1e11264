/// A read or a change of the store, as a value: a ``StoreLookup``, ``StoreQuery`` or ``StoreWrite``.
///
/// The operations cover all durable data except the log of the channels: users, tokens, metadata,
/// counters, limits, restrictions, files, the outbox of webhooks and the lists of all of these. Messages
/// and other events go through ``MessageLog``. An operation is a small struct that carries its
/// parameters; its `Outcome` is a value too. `Store.perform` runs it. No statement and no transaction
/// leaves the store, so callers do not depend on the database. The guarantees below hold for every
/// operation. Guarantees of one operation are documented with it.
///
/// ## Facts, not rules
/// An operation reports what it found and did. It contains no permission checks, error texts or
/// encoding. A fact that a write depends on and that only the store knows (the user is deactivated, the
/// key exists) is an outcome or a ``StoreError``; the caller decides on the answer.
///
/// ## Writes
/// A write is kept completely or not at all, independently of others: when one fails, writes that share
/// its transaction are kept. Its completion runs after it is durable. Writes of one submitter are
/// executed and completed in the order of submission, across all kinds of operation and including the
/// log's entries. A write that is ``WriteUrgency/prompt`` passes the waiting ones, except other prompt
/// ones. Writes of a ``WriteBatch`` have no other submitter's write between them. An outcome is the
/// state after the write, so that of the last completed write is the current state.
///
/// ## Reads
/// A read sees one state of the whole store: each write that was completed before the read was
/// submitted, and no write that is not durable. Reads are not ordered with one another or with writes in
/// progress. A ``StoreLookup`` never waits for a ``StoreQuery``.
///
/// ## Queries
/// A ``StoreQuery`` may read many rows. The principals of queries take turns; the cost of a query is
/// reported with its outcome. A page ends at its limit of items, when an answer is full or when the time
/// of the query is up, whichever comes first, but each page advances by at least one row. The token of a
/// page continues after its last row, and is bound to the filters of its query. Items are encoded on the
/// store's thread as they are read: see ``PageEncoder``.
///
/// ## Failures
/// - ``StoreError/unavailable(reason:)``, `overloaded`, `tooManyQueries` and `closed` are possible for
///   every operation. Nothing of the operation was executed.
/// - ``StoreError/unknown(reason:)`` is possible for every write: its commit was interrupted, so all of
///   it was kept or nothing. A caller that needs to know reads before it writes again.
/// - ``StoreError/damaged(path:reason:)`` means that a row was not written by this store, or that the
///   store has a defect.
/// - Texts that contain U+0000 fail with ``StoreError/unstorableText``.
/// - Other errors are facts, documented with the operations that report them.
///
/// ## Threads
/// No call here blocks the caller. A completion runs once, on a thread of the store, which it blocks; or
/// on the caller's thread before `perform` returns, when the operation is refused at once.
package protocol StoreOperation: Sendable {}

/// A read of a few rows by their keys.
package protocol StoreLookup: StoreOperation {
  associatedtype Outcome: Sendable
  /// The statements of the operation, which only the store can create and run.
  var statements: ReadStatements<Outcome> { get }
}

/// A read that lists or searches.
package protocol StoreQuery: StoreOperation {
  associatedtype Outcome: Sendable
  /// The statements of the operation, which only the store can create and run.
  var statements: ReadStatements<Outcome> { get }
}

/// A change.
package protocol StoreWrite: StoreOperation {
  associatedtype Outcome: Sendable
  /// The position of the operation among the waiting writes.
  var urgency: WriteUrgency { get }
  /// The statements of the operation, which only the store can create and run.
  var statements: WriteStatements<Outcome> { get }
}

extension StoreWrite {
  package var urgency: WriteUrgency { .ordinary }
}

/// The position of a write among the waiting ones.
package enum WriteUrgency: Sendable {
  /// After the waiting writes.
  case ordinary
  /// Before the waiting writes: a client can do nothing else until it is done.
  case prompt
  /// On a connection of its own where the database allows several: it never delays messages or waits for
  /// them, and is ordered only with other writes of this kind.
  case aside
}

/// The statements of a read; opaque outside the store.
package struct ReadStatements<Outcome: Sendable>: Sendable {
  let run: @Sendable (ReadTransaction) throws -> Outcome

  init(_ run: @escaping @Sendable (ReadTransaction) throws -> Outcome) {
    self.run = run
  }
}

/// The statements of a write; opaque outside the store.
package struct WriteStatements<Outcome: Sendable>: Sendable {
  let run: @Sendable (WriteTransaction) throws -> Outcome

  init(_ run: @escaping @Sendable (WriteTransaction) throws -> Outcome) {
    self.run = run
  }
}
