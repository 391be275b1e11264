import ParleyProtocol

/// Entries of which it is unknown whether the log has written them.
extension PendingWork {
  /// The read that shows whether an entry was written; `nil` for a read, which needs no check.
  func settlingRead(of entry: EntryID) -> LogRead? {
    switch entry {
    case .send(let id), .change(let id): .message(id, channelID: standing.place.id)
    case .operation: .channel(url: standing.place.url)
    case .own(let number): ownChanges.settlingRead(number, in: standing)
    // Positions are stored again after a failure.
    case .repetition, .view, .groupView, .delivery, .deliveries: nil
    }
  }

  /// The call that an entry is for; `nil` for the server's own entries, and when several calls share it.
  func call(of entry: EntryID) -> CallID? {
    switch entry {
    case .send(let id): sends.pending[id]?.call
    case .change(let id): changes.call(of: id)
    case .operation: operations.call
    case .own, .repetition, .view, .groupView, .delivery, .deliveries: nil
    }
  }

  /// The log's answer to an entry, derived from a later read.
  mutating func settled(_ entry: EntryID, _ reading: LogReading) -> LogResult {
    switch (entry, reading) {
    case (.send, .message(let found)): sends.settled(found)
    case (.change(let id), .message(let found)):
      changes.settled(id, found, next: standing.count.recorded + 1)
    case (.operation, .channel(let found)): operations.settled(found, in: standing)
    case (.own(let number), .group(let found)):
      ownChanges.settled(number, found, in: standing)
    case (_, _): .failure(.damaged("an answer to another question"))
    }
  }

  /// Answers the calls of an entry whose outcome remains unknown for now.
  mutating func answerUnknown(_ entry: EntryID, into actions: inout JudgeActions) {
    let error = ServiceError(.unknown(""))
    switch entry {
    case .send(let id): sends.answerUnknown(id, error, into: &actions)
    case .change(let id): changes.answerUnknown(id, error, into: &actions)
    case .operation: operations.answerUnknown(error, into: &actions)
    case .own(let number): ownChanges.answerUnknown(number, error, into: &actions)
    case .repetition, .view, .groupView, .delivery, .deliveries: break
    }
  }
}
