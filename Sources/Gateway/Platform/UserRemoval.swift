import Channels
import ParleyProtocol
import Store

/// Deletes a user, step by step, and has its channels and sessions know.
struct UserRemoval: Sendable {
  let userID: String
  let services: GatewayServices

  /// Goes on until nothing of the user is left, so that others' messages get their turn between the
  /// steps.
  func proceed(_ done: @escaping @Sendable (Result<Void, ServiceError>) -> Void) {
    let now = services.clock.now
    services.store.perform(UserDeletionStep(userID, at: now)) { result in
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
      inChannel(mutation.channel.url) {
        $0.handle(.operatorsRemoved(operators, seq: seq, at: time))
      }
    }
    for url in Set(traces.unbannedFrom + traces.unmutedIn) {
      inChannel(url) { [userID] in $0.handle(.restrictionsRemoved(of: userID)) }
    }
  }

  private func inChannel(_ url: String, _ body: @escaping @Sendable (ChannelHost) -> Void) {
    services.shards.home(ofChannel: url).post { shard in
      shard.channels.withChannel(url) { result in
        if case .success(let channel) = result { body(channel) }
      }
    }
  }
}
