import Channels
import ParleyProtocol
import Store

/// Store operations that callers need, besides those that the judge requests from the log.
extension ChannelHost {
  /// Writes to the store, then calls `then` here with the outcome; writes complete in order.
  func perform<Write: StoreWrite>(
    _ write: Write,
    then: @escaping @Sendable (ChannelHost, Result<Write.Outcome, ServiceError>) -> Void
  ) {
    shard.writes.perform(write, completion: resumption(then))
  }

  /// Looks up an item in the store by its key, then calls `then` here with the outcome.
  func perform<Lookup: StoreLookup>(
    _ lookup: Lookup,
    then: @escaping @Sendable (ChannelHost, Result<Lookup.Outcome, ServiceError>) -> Void
  ) {
    shard.services.store.perform(lookup, completion: resumption(then))
  }

  /// Lists or searches in the store in the caller's turn, then calls `then` here with the encoded
  /// outcome.
  ///
  /// The time is charged to the caller.
  ///
  /// - Parameter encode: Called on the store's thread.
  func perform<Query: StoreQuery>(
    _ query: Query, for caller: QueryCaller,
    _ encode: @escaping @Sendable (Query.Outcome) -> [UInt8],
    then: @escaping @Sendable (ChannelHost, Result<[UInt8], ServiceError>) -> Void
  ) {
    let resume = resumption(then)
    let services = shard.services
    services.store.perform(query, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      resume(result.map(encode))
    }
  }

  /// Reads a range of messages, and encodes each of them on the store's thread as it is read.
  ///
  /// - Parameter visibleFrom: See ``Member/visibleFrom``.
  func messages<Encoder: PageEncoder<ListedMessage>>(
    _ command: MessageList, from authors: MessageQuery.OperatorFilter = .all,
    _ users: ListedUsers, visibleFrom: Int64 = 0, for caller: QueryCaller, as encoder: Encoder,
    then: @escaping @Sendable (ChannelHost, Result<[UInt8], ServiceError>) -> Void
  ) where Encoder.Encoded == [UInt8] {
    do throws(ServiceError) { try requireKeptMessages() } catch {
      return then(self, .failure(error))
    }
    var query = MessageQuery(command, channelID: place.id)
    query.operatorFilter = authors
    query.visibleFrom = visibleFrom
    perform(
      MessageListing(query, users: users, as: encoder), for: caller, { $0.encoded() }, then: then)
  }
}

extension MessageQuery {
  fileprivate init(_ command: MessageList, channelID: Int64) {
    let anchor: Anchor =
      switch command.anchor {
      case .message(let id): .message(id)
      case .time(let time): .time(time)
      // Not the clock's time: messages of the current millisecond would exceed the limit, and
      // messages with a later time, sent before the clock was set back, would be missed.
      case .now: .time(Limits.timestamps.upperBound)
      }
    self.init(
      channelID: channelID, anchor: anchor, previousLimit: command.previousLimit,
      nextLimit: command.nextLimit, center: command.includesAnchor ? .included : .excluded,
      order: command.isReversed ? .newestFirst : .oldestFirst, filter: command.filter)
  }
}
