import Channels

/// The receiver of one answer of the log, for callers other than a channel's judge.
final class LogReply: LogSink {
  private let take: @Sendable (LogAnswer) -> Void

  /// - Parameter take: Called once, on a thread of the log.
  init(_ take: @escaping @Sendable (LogAnswer) -> Void) { self.take = take }

  func receive(_ answers: [LogAnswer]) { for answer in answers { take(answer) } }
}

extension MessageLog {
  /// Submits a read.
  ///
  /// - Parameter completion: Called once, on a thread of the log.
  func read(
    _ read: LogRead,
    completion: @escaping @Sendable (Result<LogReading, LogError>) -> Void
  ) {
    self.read(read, LogTicket(number: 0), to: LogReply { completion($0.reading) })
  }
}

extension LogAnswer {
  /// The answer to a read.
  var reading: Result<LogReading, LogError> {
    result.flatMap { outcome in
      guard case .read(let reading) = outcome else { return .failure(.notOfThisRead) }
      return .success(reading)
    }
  }
}

extension LogError {
  /// The log answered a read with the outcome of another operation.
  static let notOfThisRead = LogError.damaged("the answer belongs to another read")
}
