/// One query on its way to the threads that run them, its result type erased.
struct QueryJob: Sendable {
  /// Runs the query; the closure that it returns reports the success.
  let perform: @Sendable (ReadTransaction) throws -> (QueryCost) -> Void
  /// Reports a failure.
  let fail: @Sendable (any Error, QueryCost) -> Void

  init<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    completion: @escaping @Sendable (Result<T, any Error>, QueryCost) -> Void
  ) {
    perform = { transaction in
      let value = try job(transaction)
      return { completion(.success(value), $0) }
    }
    fail = { completion(.failure($0), $1) }
  }
}
