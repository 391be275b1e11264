import Channels
import ParleyProtocol
import Reactor
import Store

extension Session {
  /// Finds messages that the user may read by their words.
  ///
  /// - Throws: 400920 without search, 500910.
  func search(
    _ search: MessageSearch, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    let (services, path, userID) = (shard.services, shard.returnPath, caller.user.id)
    try services.searches.begin(by: userID, at: SystemClock.monotonicMilliseconds)
    let caller = QueryCaller.session(caller)
    let messages = FoundMessages(
      search, among: .visible(toUser: userID), as: FoundMessageEncoder())
    services.store.perform(messages, for: caller.principal) { result, cost in
      services.searches.end(of: userID)
      services.searches.note(result, cost)
      caller.pay(cost, to: services)
      let page = result.serviceResult.map { $0.encoded() }
      path.resume { $0.reply(to: address, page) }
    }
  }
}

/// Encodes messages as clients see them.
private struct FoundMessageEncoder: PageEncoder {
  func encode(_ item: FoundMessage) -> PageItem<[UInt8]> {
    PageItem(json: item.listed.message.encoded())
  }
}

extension SearchPage<[UInt8]> {
  /// The result of `message.search`.
  fileprivate func encoded() -> [UInt8] {
    JSONWriter.bytes(reserving: items.reduce(160) { $0 + $1.count + 1 }) { writer in
      writer.object {
        $0.member("messages", array: { for message in items { $0.value(raw: message) } })
        $0.member("next", next)
        $0.member("total_count", total)
        if hasMoreTotal { $0.member("total_more", true) }
        if isPartial { $0.member("partial", true) }
      }
    }
  }
}
