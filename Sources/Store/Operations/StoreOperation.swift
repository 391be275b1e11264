/// A read or a change of the store, as a value: a ``StoreLookup``, ``StoreQuery`` or ``StoreWrite``.
///
/// The operations cover everything that is durable beside the log of the channels:
/// users, tokens, metadata, counters, limits, restrictions, files, the outbox of webhooks and the
/// lists of all of these. Messages and other events go through ``MessageLog``. An operation is a
/// small struct that carries its parameters; its `Outcome` is a value too. `Store.perform` runs it. No
/// statement and no transaction leaves the store, so another database needs no change of the callers.
/// The promises below hold for every operation. A promise of one operation stands beside it.
///
/// ## Facts, not rules
/// An operation reports what it found and did. It knows no rights, no error texts and no encoding. A
/// fact that a write depends on and that only the store knows (the user is deactivated, the key
/// exists) is an outcome or a ``StoreError``; the caller decides what to answer.
///
/// ## Writes
/// A write is kept as a whole or not at all, and alone: when one fails, writes that share its
/// transaction stay. Its completion runs after it is durable. Writes of one submitter are carried out
/// and completed in the order of submission, across all kinds of operation and with the log's entries
/// among them. A write that is ``WriteUrgency/prompt`` passes those that wait, except other prompt
/// ones. Writes of a ``WriteBatch`` have no other submitter's write between them. An outcome is what
/// the write left behind, so the last completed write has the present state.
///
/// ## Reads
/// A read sees one state of the whole store: each write that was completed before the read was
/// submitted, and no write that is not durable. Reads are in no order with one another or with writes
/// under way. A ``StoreLookup`` never waits for a ``StoreQuery``.
///
/// ## Queries
/// A ``StoreQuery`` may look at many rows. The principals for whom queries run take turns; the cost
/// of a query is reported with its outcome. A page ends at its limit of items, when an answer is full
/// or when the time of the query is up, whichever comes first, but each page gets at least one row
/// further. The token of a page goes on behind its last row, and is bound to the filters of its
/// query. Items are encoded on the store's thread as they are read: see ``PageEncoder``.
///
/// ## Failures
/// - ``StoreError/unavailable(reason:)``, `overloaded`, `tooManyQueries` and `closed` are possible for
///   every operation. Nothing of the operation was carried out.
/// - ``StoreError/unknown(reason:)`` is possible for every write: its commit broke off, so all of it was
///   kept or nothing. A caller to whom that matters reads before it writes again.
/// - ``StoreError/damaged(path:reason:)`` means that a row is not one that this store wrote, or that
///   the store did something that it should not.
/// - Texts that hold U+0000 fail with ``StoreError/unstorableText``.
/// - Other errors are facts, and named beside the operations that report them.
///
/// ## Threads
/// Nothing here blocks the caller. A completion runs once, on a thread of the store, which waits
/// meanwhile; or on the caller's before `perform` returns, when the operation is refused at once.
package protocol StoreOperation: Sendable {}

/// A read of a few rows that are found by their keys.
package protocol StoreLookup: StoreOperation {
  associatedtype Outcome: Sendable
  /// The statements of the operation, which only the store can make and run.
  var statements: ReadStatements<Outcome> { get }
}

/// A read that lists or searches.
package protocol StoreQuery: StoreOperation {
  associatedtype Outcome: Sendable
  /// The statements of the operation, which only the store can make and run.
  var statements: ReadStatements<Outcome> { get }
}

/// A change.
package protocol StoreWrite: StoreOperation {
  associatedtype Outcome: Sendable
  /// The place of the operation among the writes that wait.
  var urgency: WriteUrgency { get }
  /// The statements of the operation, which only the store can make and run.
  var statements: WriteStatements<Outcome> { get }
}

extension StoreWrite {
  package var urgency: WriteUrgency { .ordinary }
}

/// The place of a write among those that wait.
package enum WriteUrgency: Sendable {
  /// After those that wait.
  case ordinary
  /// Before those that wait: a client can do nothing else until it is done.
  case prompt
  /// On a connection of its own where the database allows several: it holds up no message and waits
  /// for none, and is in order with other writes of this kind alone.
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
