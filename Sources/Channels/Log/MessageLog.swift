/// The durable record of channels: their messages, their events and what is set for them.
///
/// One log serves all channels of a deployment. Requests and results are values, so that a database,
/// memory or another process can stand behind the protocol. `Store` (SQLite or PostgreSQL) and
/// `MemoryLog`, both in the target `Store`, conform. One suite of tests runs over all three, and each
/// promise below has its test.
///
/// ## Entries
/// A ``LogEntry`` is written as a whole or not at all, and alone: when one entry fails, entries that
/// share its transaction stay. It is answered after it is durable, and no read sees it before that,
/// except a read that is itself an entry. The log applies no rule of the chat. Facts that only it
/// knows (whether a user exists, whether a request was carried out before) are reported as outcomes.
///
/// ## Order
/// Entries of one submitter are carried out in the order of submission, across all channels, and
/// answered in that order. Entries that ``submit(_:to:)`` takes together have no other submitter's
/// entry between them. A read is in no order with entries, but it sees each entry whose answer was
/// sent before the read was submitted. ``LogOperation/read(_:)`` keeps its place among the entries:
/// it sees each entry before it and none after it.
///
/// ## `seq`
/// The log numbers the events of a channel 1, 2, 3 … without gaps, in the order of its entries. An
/// entry that fails or changes nothing takes no number. Messages and other events share one count.
/// A message of an ephemeral channel (``LogOperation/relay(_:)``) is not kept and gets no number from
/// the log; the channel's judge numbers it.
///
/// ## `epoch`
/// The name of the life of a channel's count. `(epoch, seq)` names one event for ever. A channel that
/// is deleted and made again has another number (``LogChannel/id``) and begins at 1 under the epoch
/// that its creator gives. A log that lost events that it had acknowledged (one that failed over to
/// a replica without the last commits) must not number others like them: a write that knows of an
/// event beyond the channel's count (``LogChannel/lastSeq``) fails with ``LogError/fenced`` and
/// changes nothing, and ``LogEntry/takeOver(url:renewal:)`` gives the channel another epoch. One that
/// is restored from a backup is given new epochs before it serves: `parley restore` does so, and
/// `parley store new-epochs` where the database was restored by its own tools.
///
/// ## Repeated requests
/// A message with a request id that repeats one of the same author (or of the Platform API, for
/// admin messages) in the same channel within ``requestIDLifetimeMilliseconds`` of the first
/// is not written: the outcome is ``LogOutcome/repeated(_:)`` with the message as it is now, or
/// ``LogOutcome/withdrawn`` when it was deleted since. Times are those of the messages.
///
/// A message of the past (``UnsequencedMessage/Role/imported``) is not written either if its request has
/// imported one with the same time, for as long as that is there.
///
/// ## Failures
/// - An entry that could not be written fails with ``LogError/unavailable(_:)``, `overloaded` or
///   `closed`. Nothing of it is there, now or later.
/// - ``LogError/unknown(_:)`` means that the connection or the disk failed after the commit had been
///   sent: the entry may be there. The submitter must find out before it decides anything else of
///   the channel. It submits ``LogOperation/read(_:)`` (of a message by its id, otherwise of the
///   channel's state) until that is answered. An entry that is found counts as written. An entry that
///   is not found is not there and never will be, because the answered read comes after it.
/// - A log that fails goes on answering reads as far as it can, and takes entries again by itself.
///
/// ## Terms
/// A channel has one judge at a time, whose writes carry the ``LogChannel/term`` of its channel.
/// ``LogEntry/takeOver(url:renewal:)`` raises the term and answers with the state as the last write of the old
/// term left it. A write whose term is not the present one fails with ``LogError/fenced`` and
/// changes nothing. So what a judge has read or written stays true until its own next write, or
/// until that write is fenced. Where a log belongs to one process, as the one in SQLite does, the
/// state may be loaded by ``LogRead/channel(url:)`` without taking the channel over.
///
/// ## Bounds
/// Events other than messages are kept for the last ``EventLog/reach`` numbers of a channel at
/// least. ``LogRead/missed(channelID:after:byteLimit:updatesWithin:)`` adds bytes up before it reads
/// any. Texts that hold U+0000 fail with ``LogError/unstorableText``. A message that says of its file that
/// it needs no key, which it has come to need, fails with ``LogError/outdatedFile``.
package protocol MessageLog: Sendable {
  /// Submits entries in their order, and empties the list. Does not wait.
  ///
  /// Each is answered once. An entry that is refused at once is answered before this returns, on the
  /// caller's thread.
  func submit(_ entries: inout [LogSubmission], to sink: any LogSink)

  /// Submits a read that finds a few rows by their keys. Does not wait.
  func read(_ read: LogRead, _ ticket: LogTicket, to sink: any LogSink)

  /// Submits a query for messages, which may look at many rows. Does not wait.
  ///
  /// Principals take turns. The page is shorter when its bytes or the time to look run out.
  /// Errors: `missing(.channel)`, `tooManyQueries`.
  func list(
    _ query: MessageQuery, for principal: QueryPrincipal, _ ticket: LogTicket, to sink: any LogSink)
}

/// The receiver of a submitter's answers.
package protocol LogSink: AnyObject, Sendable {
  /// Takes answers, in the order of the entries.
  ///
  /// Runs on a thread of the log, which waits meanwhile.
  func receive(_ answers: [LogAnswer])
}

/// The submitter's name of a submission; means nothing to the log.
package struct LogTicket: Sendable, Hashable {
  /// The part of the submitter that waits, for example a channel's place in a table.
  package var origin: UInt64
  /// The submission among those of its origin.
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

  package init(_ ticket: LogTicket, _ entry: LogEntry) {
    self.ticket = ticket
    self.entry = entry
  }
}

/// The answer to a submission or a read.
package struct LogAnswer: Sendable {
  package var ticket: LogTicket
  package var result: LogResult
  /// The price of a read that is no entry.
  package var cost: QueryCost

  package init(_ ticket: LogTicket, _ result: LogResult, cost: QueryCost = .none) {
    self.ticket = ticket
    self.result = result
    self.cost = cost
  }
}
