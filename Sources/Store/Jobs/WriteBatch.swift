package import Channels

/// Jobs that change something, gathered to be submitted together.
///
/// Jobs that are submitted one by one may be taken one by one, each with a commit of its own.
package struct WriteBatch {
  private var jobs: [WriteJob] = []

  package init() {}

  package var isEmpty: Bool { jobs.isEmpty }

  /// Adds what ``Store/write(_:completion:)`` would submit.
  package mutating func write<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    jobs.append(.control(ControlJob(job, completion: completion)))
  }

  /// Adds what ``Store/append(_:to:completion:)`` would submit.
  package mutating func append(
    _ message: UnsequencedMessage, to channel: LogChannel,
    completion: @escaping @Sendable (Result<AppendOutcome, any Error>) -> Void
  ) {
    jobs.append(.append(message, channel, completion))
  }

  /// Adds an entry of the log.
  package mutating func submit(_ submission: LogSubmission, to sink: any LogSink) {
    jobs.append(.entry(submission, sink))
  }

  /// Adds a place among the jobs: its completion runs when all before it is durable.
  package mutating func pass(
    completion: @escaping @Sendable (Result<Void, any Error>) -> Void
  ) {
    jobs.append(.passage(completion))
  }

  /// Takes all jobs out.
  mutating func takeAll() -> [WriteJob] {
    var taken: [WriteJob] = []
    swap(&taken, &jobs)
    return taken
  }
}
