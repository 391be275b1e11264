/// One submission to the reader threads, its result type erased.
struct ReadJob: Sendable {
  /// Runs the job and reports its success.
  let perform: @Sendable (ReadTransaction) throws -> Answer
  /// Reports a failure.
  let fail: @Sendable (any Error) -> Void

  init<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>) -> Void
  ) {
    perform = { transaction in
      let value = try job(transaction)
      return { completion(.success(value)) }
    }
    fail = { completion(.failure($0)) }
  }
}
