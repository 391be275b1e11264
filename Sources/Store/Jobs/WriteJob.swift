package import Channels

/// One submission to the writer thread.
enum WriteJob: Sendable {
  case entry(LogSubmission, any LogSink)
  case control(ControlJob)
  /// Runs between transactions, even while the store is failing.
  case maintenance(@Sendable (StoreConnection) -> Void)

  /// Whether the job has to be part of a transaction.
  var needsTransaction: Bool {
    switch self {
    case .entry(let submission, _): submission.entry.writes
    case .control: true
    case .maintenance: false
    }
  }

  /// The message that the job appends, if any.
  var addition: MessageAddition? {
    guard case .entry(let submission, _) = self, var addition = submission.entry.addition else {
      return nil
    }
    addition.trace = submission.trace
    return addition
  }

  var isMaintenance: Bool {
    if case .maintenance = self { true } else { false }
  }

  /// Reports that it is unknown whether the job was kept.
  func doubt(_ reason: String) {
    switch self {
    case .entry(let submission, let sink):
      sink.receive([LogAnswer(submission.ticket, .failure(.unknown(reason)))])
    case .control, .maintenance: fail(.unknown(reason: reason))
    }
  }

  /// Reports an error without running the job.
  func fail(_ error: StoreError) {
    switch self {
    case .entry(let submission, let sink):
      sink.receive([LogAnswer(submission.ticket, .failure(LogError(error)))])
    case .control(let job): job.fail(error)
    case .maintenance: break
    }
  }
}

/// Calls the submitter's completion with its result.
typealias Answer = () -> Void

/// The answer to a job, held until its transaction is durable.
enum WriteAnswer {
  case call(Answer)
  case log(LogAnswer, any LogSink)
}

extension [WriteAnswer] {
  /// Delivers the answers; consecutive answers for one sink are delivered together.
  func deliver() {
    var gathered: [LogAnswer] = []
    var receiver: (any LogSink)?
    for answer in self {
      switch answer {
      case .log(let answer, let sink):
        if receiver !== sink { Self.flush(&gathered, to: receiver) }
        receiver = sink
        gathered.append(answer)
      case .call(let call):
        Self.flush(&gathered, to: receiver)
        call()
      }
    }
    Self.flush(&gathered, to: receiver)
  }

  private static func flush(_ gathered: inout [LogAnswer], to sink: (any LogSink)?) {
    guard let sink, !gathered.isEmpty else { return }
    sink.receive(gathered)
    gathered = []
  }
}

/// A closure of the submitter with its result type erased.
struct ControlJob: Sendable {
  /// Runs the job; the returned closure reports the success.
  let perform: @Sendable (WriteTransaction) throws -> Answer
  /// Reports a failure.
  let fail: @Sendable (any Error) -> Void

  init<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    perform = { transaction in
      let value = try job(transaction)
      return { completion(.success(value)) }
    }
    fail = { completion(.failure($0)) }
  }
}

/// Jobs that change something, collected for submission together.
///
/// Jobs submitted one by one may be taken one by one, each with a commit of its own.
package struct WriteBatch {
  private var jobs: [WriteJob] = []

  package init() {}

  package var isEmpty: Bool { jobs.isEmpty }

  /// Adds the job that ``Store/write(_:completion:)`` would submit.
  mutating func write<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    jobs.append(.control(ControlJob(job, completion: completion)))
  }

  /// Adds an entry of the log.
  package mutating func submit(_ submission: LogSubmission, to sink: any LogSink) {
    jobs.append(.entry(submission, sink))
  }

  /// Removes and returns all jobs.
  mutating func takeAll() -> [WriteJob] {
    var taken: [WriteJob] = []
    swap(&taken, &jobs)
    return taken
  }
}
