import ParleyProtocol
import Store

/// Search among all messages, and its index.
enum SearchEndpoints {
  /// `GET /v3/search/messages`: the messages in which words occur; with a user, only those that the user may
  /// read.
  static func search(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let search = try MessageSearch(query: call.query)
    let userID = try call.query.optionalUserID("user_id")
    let (services, caller) = (call.services, call.caller)
    try services.searches.requireOn()
    guard let userID else { return find(search, among: .all, services, caller, completion) }
    services.store.perform(AccountLookup(userID)) { result in
      switch result.serviceResult.existing(userID) {
      case .success: find(search, among: .visible(toUser: userID), services, caller, completion)
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// On any thread.
  private static func find(
    _ search: MessageSearch, among searched: SearchedMessages, _ services: GatewayServices,
    _ caller: QueryCaller, _ completion: Completion
  ) {
    let encoder = JSONPageEncoder<FoundMessage> { found, writer in
      let authors = MessageAuthors(
        found.operatorIDs, deactivatedIDs: found.listed.deactivatedIDs)
      found.listed.message.encodeForPlatform(authors, into: &writer)
    }
    let messages = FoundMessages(search, among: searched, as: encoder)
    services.store.perform(messages, for: caller.principal) { result, cost in
      services.searches.note(result, cost)
      caller.pay(cost, to: services)
      completion(result.serviceResult) { page, writer in
        writer.object {
          $0.member("results", array: { for message in page.items { $0.value(raw: message) } })
          $0.member("total_count", page.total)
          $0.member("total_more", page.hasMoreTotal)
          $0.member("has_next", !page.next.isEmpty)
          $0.member("end_cursor", page.next)
          $0.member("partial", page.isPartial)
        }
      }
    }
  }

  /// `GET /v3/parley/search`: the state of the index.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let services = call.services
    guard services.searches.isOn else {
      return completion { $0.object { $0.member("mode", "off") } }
    }
    services.store.perform(SearchStatusQuery(), for: call.caller.principal) { result, _ in
      if case .success(let status) = result { services.searches.adopt(status) }
      completion(result.serviceResult) { status, writer in
        writer.object {
          $0.member("mode", "on")
          $0.member("messages", status?.rowCount ?? 0)
          $0.member("bytes", status?.byteCount ?? 0)
          $0.member("building", status?.isBuilding ?? true)
          $0.member("newest_message_id", status?.newestID ?? 0)
          $0.member("built_back_to", status.flatMap { MessageIDs.time(of: $0.oldestID) } ?? 0)
        }
      }
    }
  }

  /// `POST …/rebuild`: empties the index, which is then built from the newest message on.
  static func rebuild(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.services.searches.requireOn()
    call.services.shards.onFirstShard { shard in
      guard let indexer = shard.searchIndexer else { return completion.fail(.internalError) }
      indexer.restart { completion.empty($0.serviceResult) }
    }
  }

  /// `GET …/check`: compares some messages with the index.
  static func check(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.services.searches.requireOn()
    let sample = SearchSample(seed: .random(in: 0...UInt64.max))
    call.services.store.perform(sample, for: call.caller.principal) { result, _ in
      completion(result.serviceResult) { sample, writer in
        writer.object {
          $0.member("checked", sample.checkedCount)
          $0.member("missing", array: { for id in sample.missingIDs { $0.value(id) } })
        }
      }
    }
  }
}
