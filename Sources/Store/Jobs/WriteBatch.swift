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

  /// Adds an entry of the log.
  package mutating func submit(_ submission: LogSubmission, to sink: any LogSink) {
    jobs.append(.entry(submission, sink))
  }

  /// Takes all jobs out.
  mutating func takeAll() -> [WriteJob] {
    var taken: [WriteJob] = []
    swap(&taken, &jobs)
    return taken
  }
}
