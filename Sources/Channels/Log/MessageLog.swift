package import ParleyProtocol

/// The durable record of channels: their messages, their events and their settings.
///
/// One log serves all channels of a deployment. Requests and results are values, so that a
/// database, memory or another process can implement the protocol. `Store` (SQLite or PostgreSQL)
/// and `MemoryLog`, both in the target `Store`, conform. One test suite runs against all three, and
/// each guarantee below has its test.
///
/// ## Entries
/// A ``LogEntry`` is written completely or not at all, and independently: if one entry fails, other
/// entries of its transaction remain. It is answered once it is durable, and no read sees it earlier,
/// except a read that is itself an entry. The log applies no chat rules. Facts that only the log
/// knows (whether a user exists, whether a request was carried out before) are reported as outcomes.
///
/// ## Order
/// Entries of one submitter are carried out in the order of submission, across all channels, and
/// answered in that order. Entries that ``submit(_:to:)`` takes together have no other submitter's
/// entry between them. A read is not ordered relative to entries, but it sees each entry that was
/// answered before the read was submitted. ``LogOperation/read(_:)`` keeps its place among the
/// entries: it sees each entry before it and none after it.
///
/// ## `seq`
/// The log numbers the events of a channel 1, 2, 3 … without gaps, in the order of its entries. An
/// entry that fails or changes nothing takes no number. Messages and other events share one count.
/// A message of an ephemeral channel (``LogOperation/relay(_:)``) is not kept and gets no number from
/// the log; the channel's judge numbers it.
///
/// ## `epoch`
/// Identifies the life of a channel's count. `(epoch, seq)` identifies one event for ever. A
/// channel that is deleted and created again has another number (``LogChannel/id``) and begins at 1
/// under the epoch that its creator gives. A log that lost acknowledged events (one that failed
/// over to a replica without the last commits) must not reuse their numbers: a write that knows of
/// an event beyond the channel's count (``LogChannel/lastSeq``) fails with ``LogError/fenced`` and
/// changes nothing, and ``LogEntry/takeOver(url:renewal:)`` gives the channel another epoch. A log
/// that is restored from a backup gets new epochs before it serves: `parley restore` does so, and
/// `parley store new-epochs` if the database was restored by its own tools.
///
/// ## Repeated requests
/// A message with a request id that repeats one of the same author (or of the Platform API, for
/// admin messages) in the same channel within ``requestIDLifetimeMilliseconds`` of the first
/// is not written: the outcome is ``LogOutcome/repeated(_:)`` with the message as it is now, or
/// ``LogOutcome/withdrawn`` when it was deleted since. Times are those of the messages.
///
/// An imported message (``UnsequencedMessage/Role/imported``) is not written either if its request
/// has imported one with the same time that still exists.
///
/// ## Failures
/// - An entry that could not be written fails with ``LogError/unavailable(_:)``, `overloaded` or
///   `closed`. No part of it is stored, now or later.
/// - ``LogError/unknown(_:)`` means that the connection or the disk failed after the commit had been
///   sent: the entry may be stored. The submitter must find out before it makes any other decision
///   for the channel. It submits ``LogOperation/read(_:)`` (of a message by its id, otherwise of the
///   channel's state) until the read is answered. An entry that is found counts as written. An entry
///   that is not found will never be stored, because the answered read comes after it.
/// - A failing log continues to answer reads as far as it can, and recovers by itself for entries.
///
/// ## Terms
/// A channel has one judge at a time, whose writes carry the ``LogChannel/term`` of its channel.
/// ``LogEntry/takeOver(url:renewal:)`` raises the term and returns the state after the last write
/// of the old term. A write with another term than the present one fails with ``LogError/fenced``
/// and changes nothing. So the data that a judge has read or written stays valid until its own next
/// write, or until that write is fenced. If a log belongs to one process, as in SQLite, the state
/// may be loaded by ``LogRead/channel(url:)`` without taking the channel over.
///
/// ## Bounds
/// Events other than messages are kept for at least the last ``EventLog/reach`` numbers of a channel.
/// ``LogRead/missed(channelID:after:byteLimit:updatesWithin:)`` adds up the bytes before it reads
/// any. Texts that contain U+0000 fail with ``LogError/unstorableText``. A message that says that its
/// file needs no key, although it now needs one, fails with ``LogError/outdatedFile``.
package protocol MessageLog: Sendable {
  /// Submits entries in order, and empties the list. Does not block.
  ///
  /// Each entry is answered once. An entry that is refused at once is answered before this returns,
  /// on the caller's thread.
  func submit(_ entries: inout [LogSubmission], to sink: any LogSink)

  /// Submits a read of a few rows by their keys. Does not block.
  func read(_ read: LogRead, _ ticket: LogTicket, to sink: any LogSink)

  /// Submits a query for messages, which may scan many rows. Does not block.
  ///
  /// Principals take turns. The page is shorter if the query runs out of bytes or of time.
  /// Errors: `missing(.channel)`, `tooManyQueries`.
  func list(
    _ query: MessageQuery, for principal: QueryPrincipal, _ ticket: LogTicket, to sink: any LogSink)
}

/// The receiver of a submitter's answers.
package protocol LogSink: AnyObject, Sendable {
  /// Receives answers, in the order of the entries.
  ///
  /// Runs on a thread of the log, which is blocked meanwhile.
  func receive(_ answers: [LogAnswer])
}

/// The submitter's identifier of a submission, which the log does not interpret.
package struct LogTicket: Sendable, Hashable {
  /// The waiting part of the submitter, for example a channel's place in a table.
  package var origin: UInt64
  /// The number of the submission within its origin.
  package var number: UInt64

  package init(origin: UInt64 = 0, number: UInt64) {
    self.origin = origin
    self.number = number
  }
}

/// An entry on its way to the log.
package struct LogSubmission: Sendable {
  package var ticket: LogTicket
  package var entry: LogEntry
  /// The trace of the call that the entry is for, which its events for webhooks name.
  package var trace: CallTrace?

  package init(_ ticket: LogTicket, _ entry: LogEntry, of trace: CallTrace? = nil) {
    self.ticket = ticket
    self.entry = entry
    self.trace = trace
  }
}

/// The answer to a submission or a read.
package struct LogAnswer: Sendable {
  package var ticket: LogTicket
  package var result: LogResult
  /// The cost of a read that is not an entry.
  package var cost: QueryCost

  package init(_ ticket: LogTicket, _ result: LogResult, cost: QueryCost = .none) {
    self.ticket = ticket
    self.result = result
    self.cost = cost
  }
}
