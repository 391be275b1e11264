import ParleyProtocol
import ShardMessages
import Store

/// Deletes a user, step by step, and has its channels and sessions know.
struct UserRemoval: Sendable {
  let userID: String
  let services: GatewayServices

  /// Goes on until nothing of the user is left, so that others' messages get their turn between the
  /// steps.
  func proceed(_ done: @escaping @Sendable (Result<Void, ServiceError>) -> Void) {
    let now = services.clock.now
    services.store.write { [userID] in
      try $0.deleteUser(userID, at: now)
    } completion: { result in
      switch result {
      case .failure(let error): done(.failure(ServiceError(error)))
      case .success(let step):
        tell(step.traces)
        guard case .finished = step else { return proceed(done) }
        services.shards.closeSessions(of: userID, reason: "the user was deleted")
        done(.success(()))
      }
    }
  }

  private func tell(_ traces: UserTraces) {
    for mutation in traces.operatorChanges {
      guard let event = mutation.event else { continue }
      let (operators, seq, time) = (mutation.channel.operators, event.seq, event.timestamp)
      services.shards.send(
        .channel(
          url: mutation.channel.url, .operatorsRemoved(operators, seq: seq, at: time)))
    }
    for url in Set(traces.unbannedFrom + traces.unmutedIn) {
      services.shards.send(.channel(url: url, .restrictionsRemoved(userID: userID)))
    }
  }
}
