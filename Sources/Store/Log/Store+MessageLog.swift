package import Channels
import Dispatch
import ParleyProtocol

/// A database as the log of channels: entries are jobs of the writer thread, reads jobs of the
/// readers.
///
/// There is one writer, with PostgreSQL too: the contract guarantees the order of a submitter's entries
/// across all channels, and that its batches contain no other submitter's entries. Two concurrent
/// transactions could not guarantee that. A store that is ``StoreSharing/alone`` is the only writer, due
/// to the lock of its directory or database, so a channel need not be taken over before it is judged.
/// With ``StoreSharing/shared`` the term of the channel fences the others: each write reads the term
/// under the lock of the channel's row, which it holds until its commit.
extension Store: MessageLog {
  package func submit(_ entries: inout [LogSubmission], to sink: any LogSink) {
    var batch = WriteBatch()
    for submission in entries { batch.submit(submission, to: sink) }
    entries.removeAll(keepingCapacity: true)
    submit(&batch)
  }

  package func read(_ read: LogRead, _ ticket: LogTicket, to sink: any LogSink) {
    lookUp { transaction in
      let start = DispatchTime.now().uptimeNanoseconds
      let reading: Result<LogOutcome, any Error>
      do {
        reading = .success(.read(try transaction.answer(read)))
      } catch  where !error.mayPass {
        reading = .failure(error)
      }
      let cost = QueryCost(
        nanoseconds: DispatchTime.now().uptimeNanoseconds - start, isCutShort: false)
      return LogAnswer(ticket, reading.mapError(LogError.init), cost: cost)
    } completion: { result in
      sink.receive([(try? result.get()) ?? LogAnswer(ticket, failing: result)])
    }
  }

  package func list(
    _ query: MessageQuery, for principal: QueryPrincipal, _ ticket: LogTicket, to sink: any LogSink
  ) {
    self.query(for: principal) { transaction in
      try transaction.listMessages(query) {
        PageItem($0.message, byteCount: MessageSize($0.message).total)
      }
    } completion: { result, cost in
      let result = result.map { LogOutcome.read(.page($0)) }.mapError(LogError.init)
      sink.receive([LogAnswer(ticket, result, cost: cost)])
    }
  }
}

extension LogAnswer {
  fileprivate init(_ ticket: LogTicket, failing result: Result<LogAnswer, any Error>) {
    self.init(ticket, result.map { _ in .absent }.mapError(LogError.init))
  }
}

extension LogError {
  /// Converts an error of the store to an error of the log.
  init(_ error: any Error) {
    if let error = error as? LogError {
      self = error
    } else if let error = error as? StoreError {
      self.init(error)
    } else if let failure = error as? CommitFailure {
      self = .unknown(failure.reason)
    } else if let reason = error.storageFailure {
      self = .unavailable(reason)
    } else {
      self = error.isConstraint ? .exists : .damaged("\(error)")
    }
  }

  init(_ error: StoreError) {
    self =
      switch error {
      case .unavailable(let reason): .unavailable(reason)
      case .unknown(let reason): .unknown(reason)
      case .overloaded: .overloaded
      case .tooManyQueries(let limit): .tooManyQueries(limit: limit)
      case .closed: .closed
      case .exists: .exists
      case .noUser(let id): .noUser(id)
      case .notFound(.channel): .missing(.channel)
      case .notFound(.message), .notFound(.file): .missing(.message)
      case .unstorableText: .unstorableText
      case .keyExists, .tooManyItems, .tooLong, .tooLarge, .counterOverflow, .invalidPageToken,
        .locked,
        .inaccessible, .damaged, .newerSchema, .notFound(.metadata), .notFound(.metacounter),
        .notFound(.token), .notFound(.report):
        .damaged(error.description)
      }
  }
}
