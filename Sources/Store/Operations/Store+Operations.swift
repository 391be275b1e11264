package import Channels

extension Store {
  /// Submits a look-up.
  package func perform<Lookup: StoreLookup>(
    _ lookup: Lookup,
    completion: @escaping @Sendable (Result<Lookup.Outcome, StoreError>) -> Void
  ) {
    lookUp(lookup.statements.run) { completion($0.mapError(StoreError.init)) }
  }

  /// Submits a look-up that runs when it is the principal's turn, on a separate reader.
  ///
  /// For requests of clients about files: they are frequent, and some take more work than should delay a
  /// look-up that a new session waits for.
  package func perform<Lookup: StoreLookup>(
    _ lookup: Lookup, inTurnOf principal: QueryPrincipal,
    completion: @escaping @Sendable (Result<Lookup.Outcome, StoreError>, QueryCost) -> Void
  ) {
    lookUpInTurn(for: principal, lookup.statements.run) { result, cost in
      completion(result.mapError(StoreError.init), cost)
    }
  }

  /// Submits a query, which runs when it is the principal's turn.
  package func perform<Query: StoreQuery>(
    _ query: Query, for principal: QueryPrincipal,
    completion: @escaping @Sendable (Result<Query.Outcome, StoreError>, QueryCost) -> Void
  ) {
    self.query(for: principal, query.statements.run) { result, cost in
      completion(result.mapError(StoreError.init), cost)
    }
  }

  /// Submits a write.
  package func perform<Write: StoreWrite>(
    _ write: Write,
    completion: @escaping @Sendable (Result<Write.Outcome, StoreError>) -> Void
  ) {
    let completion: @Sendable (Result<Write.Outcome, any Error>) -> Void = {
      completion($0.mapError(StoreError.init))
    }
    switch write.urgency {
    case .ordinary: self.write(write.statements.run, completion: completion)
    case .prompt: writePromptly(write.statements.run, completion: completion)
    case .aside: writeAside(write.statements.run, completion: completion)
    }
  }
}

extension WriteBatch {
  /// Adds a write, which is queued in the order of the batch whatever its urgency.
  package mutating func perform<Write: StoreWrite>(
    _ write: Write,
    completion: @escaping @Sendable (Result<Write.Outcome, StoreError>) -> Void
  ) {
    self.write(write.statements.run) { completion($0.mapError(StoreError.init)) }
  }
}

extension StoreError {
  /// Converts an error of a job to an error of the store.
  init(_ error: any Error) {
    if let error = error as? StoreError {
      self = error
    } else if let failure = error as? CommitFailure {
      self = .unknown(reason: failure.reason)
    } else if let reason = error.storageFailure {
      self = .unavailable(reason: reason)
    } else {
      self = .damaged(path: "the database", reason: "\(error)")
    }
  }
}
