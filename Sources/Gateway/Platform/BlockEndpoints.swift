import ParleyProtocol
import Store
import Transport

/// The users whom a user blocks, below `/v3/users/{user_id}/block`.
enum BlockEndpoints {
  /// `POST …/block`: blocks the user `target_id`, or `user_ids`.
  static func block(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, body) = (try call.userID, try call.body)
    let target = try body.optionalUserID("target_id")
    let others = try body.userIDs("user_ids", limit: Limits.memberListCount) ?? []
    let ids = ((target.map { [$0] } ?? []) + others).withoutRepetitions()
    guard !ids.isEmpty else { throw .missing("target_id") }
    guard !ids.contains(userID) else {
      throw .ownBlock(target == userID ? "target_id" : "user_ids", userID)
    }
    let (services, caller, path) = (call.services, call.caller, call.shard.returnPath)
    services.block(ids, by: userID) { result in
      if case .failure(let error) = result { return completion.fail(error) }
      let listing = BlockListing(
        of: userID, among: ids, limit: ids.count, as: AccountMeasure())
      services.show(listing, for: caller, path, completion)
    }
  }

  /// `GET …/block`: a page of the users whom the user blocks, or who block it.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, query) = (try call.userID, call.query)
    let listing = BlockListing(
      of: userID, try query.choice("list", of: BlockDirection.self) ?? .byUser,
      among: try query.userIDs("user_ids", limit: Limits.userFilterCount) ?? [],
      limit: try query.pageSize(), token: try query.pageToken(), as: AccountMeasure())
    let (services, caller, path) = (call.services, call.caller, call.shard.returnPath)
    services.store.perform(AccountLookup(userID)) { result in
      switch result.serviceResult.existing(userID) {
      case .success: services.show(listing, for: caller, path, completion)
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// `DELETE …/block/{target_id}`: ends a block, if there is one.
  static func unblock(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let (userID, targetID) = (try call.userID, call.arguments["target_id"])
    let services = call.services
    services.store.perform(AccountLookup(userID)) { result in
      switch result.serviceResult.existing(userID) {
      case .success: services.unblock(targetID, by: userID) { completion.empty($0) }
      case .failure(let error): completion.fail(error)
      }
    }
  }
}

extension GatewayServices {
  /// Answers with a page of users.
  fileprivate func show(
    _ listing: BlockListing<AccountMeasure>, for caller: QueryCaller, _ path: ReturnPath,
    _ completion: Completion
  ) {
    store.perform(listing, for: caller.principal) { result, cost in
      caller.pay(cost, to: self)
      switch result.serviceResult {
      case .failure(let error): completion.fail(error)
      case .success(let page):
        path.online(among: page.items.map(\.user.id)) { online in
          completion(.success(page.encoded(onlineIDs: online)))
        }
      }
    }
  }
}
