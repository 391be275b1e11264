/// One submission to the writer thread.
enum WriteJob: Sendable {
  case append(NewMessage, @Sendable (Result<AppendOutcome, any Error>) -> Void)
  case control(ControlJob)
  /// Writes nothing: keeps its place among those that do.
  case passage(@Sendable (Result<Void, any Error>) -> Void)
  /// Runs between transactions, while the store is failing too.
  case maintenance(@Sendable (StoreConnection) -> Void)

  /// Whether it has to be part of a transaction.
  var needsTransaction: Bool {
    switch self {
    case .append, .control: true
    case .passage, .maintenance: false
    }
  }

  /// Answers with an error in place of running.
  func fail(_ error: StoreError) {
    switch self {
    case .append(_, let completion): completion(.failure(error))
    case .control(let job): job.fail(error)
    case .passage(let completion): completion(.failure(error))
    case .maintenance: break
    }
  }
}

/// What calls the submitter's completion with its result.
typealias Answer = () -> Void

/// A closure of the submitter's with its result type erased.
struct ControlJob: Sendable {
  /// Runs the job; what it returns reports the success.
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
