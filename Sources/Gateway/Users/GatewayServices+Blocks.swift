import Channels
import ParleyProtocol
import Store

/// Blocks of users.
///
/// The judges of groups of two know the blocks of their members, so each change is sent to those of them that
/// are in memory. It is sent before the caller's answer: a message that is judged after the answer meets it.
extension GatewayServices {
  /// Makes a user block others.
  ///
  /// - Parameter completion: Called once, on any thread. Errors: 400201, 400203.
  func block(
    _ ids: [String], by userID: String,
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    store.perform(BlockAddition(by: userID, of: ids)) { result in
      switch result {
      case .success: self.announce(ids, of: userID, { .blocked($0) }, then: completion)
      case .failure(.tooManyItems(let limit)): completion(.failure(.tooManyBlocks(limit: limit)))
      case .failure(let error): completion(.failure(ServiceError(error)))
      }
    }
  }

  /// Ends the block of a user by another one, if there is one.
  ///
  /// - Parameter completion: Called once, on any thread.
  func unblock(
    _ id: String, by userID: String,
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    store.perform(BlockRemoval(by: userID, of: id)) { result in
      switch result {
      case .success: self.announce([id], of: userID, { .unblocked($0) }, then: completion)
      case .failure(let error): completion(.failure(ServiceError(error)))
      }
    }
  }

  /// Sends a change to the groups of two, also if the store has not changed: the caller may repeat a call
  /// whose answer was lost.
  private func announce(
    _ ids: [String], of userID: String, _ message: @escaping @Sendable (Block) -> ChannelMessage,
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    store.perform(GroupsOfTwo(of: userID, andOneOf: ids)) { result in
      if case .success(let groups) = result {
        for group in groups {
          let change = message(Block(by: userID, of: group.otherID))
          self.shards.send(.channel(url: group.url, change))
        }
      }
      completion(result.serviceResult.map { _ in })
    }
  }
}
