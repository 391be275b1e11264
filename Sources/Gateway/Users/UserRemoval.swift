import Channels
import Configuration
import ParleyProtocol
import Store

/// Deletes a user in steps, and notifies its channels and sessions.
///
/// The channels that the user operates remove the role themselves, each at its home, because only the
/// home writes the channel's events. The rest is removed in steps, so that other writes get their turn.
struct UserRemoval: Sendable {
  typealias Completion = @Sendable (Result<Void, ServiceError>) -> Void

  let userID: String
  let services: GatewayServices
  /// The shard that asks the channels.
  let path: ReturnPath

  /// Continues until nothing of the user is left.
  func proceed(_ done: @escaping Completion) {
    services.store.perform(ChannelsToLeave(of: userID)) { result in
      switch result {
      case .failure(let error): done(.failure(ServiceError(error)))
      case .success(let urls) where urls.isEmpty: removeTraces(done)
      case .success(let urls):
        path.resume { shard in
          shard.dismiss(userID, from: urls) { isDone in
            isDone ? proceed(done) : done(.failure(.homeIsMissing))
          }
        }
      }
    }
  }

  private func removeTraces(_ done: @escaping Completion) {
    services.store.perform(UserDeletionStep(userID)) { result in
      switch result {
      case .failure(let error): done(.failure(ServiceError(error)))
      case .success(let step):
        for url in Set(step.traces.unbannedFrom + step.traces.unmutedIn) {
          services.shards.send(.channel(url: url, .restrictionsRemoved(userID: userID)))
        }
        guard case .finished = step else { return proceed(done) }
        services.closeSessions(of: userID, .deleted)
        done(.success(()))
      }
    }
  }
}

extension Shard {
  /// Makes channels remove the operator role of a user.
  ///
  /// - Parameter completion: Receives whether at least one channel answered and all that answered
  ///   removed the role. Called once, on this shard.
  fileprivate func dismiss(
    _ userID: String, from urls: [String], then completion: @escaping (Bool) -> Void
  ) {
    let time = edge == nil ? nil : settings.cluster.callTimeoutMilliseconds
    poll(count: urls.count, within: time) { part, address in
      .channel(url: urls[part], .dismiss(userID: userID, replyTo: address))
    } then: { answers in
      completion(!answers.isEmpty && answers.allSatisfy { $0 == .dismissed(true) })
    }
  }

  /// Removes the operator role of a user in a channel that is at home here.
  func dismiss(_ userID: String, inChannel url: String, replyTo address: PollAddress) {
    let services = services
    let answer: @Sendable (Bool) -> Void = { isDone in
      services.shards.send(.shard(address.shard, .answer(.dismissed(isDone), to: address)))
    }
    channels.withChannel(url) { result in
      switch result {
      case .success(let channel):
        let operation: ChannelOperation =
          channel.isGroup
          ? .changeMembers(.forget(userID: userID)) : .removeOperators([userID])
        channel.perform(.operation(operation)) { _, result in
          answer(result.isSettled)
        }
      case .failure(let error): answer(error.code == .notFound)
      }
    }
  }
}

extension Result<JudgeAnswer, ServiceError> {
  /// Whether the user is no longer an operator of the channel.
  fileprivate var isSettled: Bool {
    switch self {
    case .success: true
    case .failure(let error): error.code == .notFound
    }
  }
}
