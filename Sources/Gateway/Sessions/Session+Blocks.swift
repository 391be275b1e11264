import Channels
import ParleyProtocol
import Store

extension Session {
  /// Blocks a user.
  ///
  /// - Throws: 400111 for the caller itself.
  func block(
    _ userID: String, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    guard userID != caller.user.id else { throw .ownBlock("user_id", userID) }
    shard.services.block([userID], by: caller.user.id, then: answer(address))
  }

  /// Ends the block of a user.
  ///
  /// - Throws: 400111 for the caller itself.
  func unblock(
    _ userID: String, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    guard userID != caller.user.id else { throw .ownBlock("user_id", userID) }
    shard.services.unblock(userID, by: caller.user.id, then: answer(address))
  }

  private func answer(
    _ address: ReplyAddress
  ) -> @Sendable (Result<Void, ServiceError>) -> Void {
    let path = shard.returnPath
    return { result in
      path.resume { shard in
        switch result {
        case .success: shard.reply(to: address, .empty)
        case .failure(let error): shard.reply(to: address, .failure(error))
        }
      }
    }
  }

  /// Lists the users whom the caller blocks.
  func listBlocked(
    _ list: BlockedUsers, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    let (services, path) = (shard.services, shard.returnPath)
    let turn = QueryCaller.session(caller)
    let encoder = JSONPageEncoder<Account> { $0.user.encode(into: &$1) }
    let listing = BlockListing(
      of: caller.user.id, limit: list.limit, token: list.token, as: encoder)
    services.store.perform(listing, for: turn.principal) { result, cost in
      turn.pay(cost, to: services)
      let answer = result.serviceResult.map { $0.encoded(as: "users") }
      path.resume { $0.reply(to: address, answer) }
    }
  }
}
