import Channels
import ParleyProtocol
import Store

/// The doors' own work with the store, beside what the judge asks of the log.
extension ChannelHost {
  /// Changes the store, then goes on here with the outcome; jobs come back in their order.
  func write<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    then: @escaping @Sendable (ChannelHost, Result<T, ServiceError>) -> Void
  ) {
    shard.writes.write(job, completion: resumption(then))
  }

  /// Looks something up in the store by its key, then goes on here with the outcome.
  func lookUp<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    then: @escaping @Sendable (ChannelHost, Result<T, ServiceError>) -> Void
  ) {
    shard.services.store.lookUp(job, completion: resumption(then))
  }

  /// Lists or searches in the store when it is the caller's turn, then goes on here with the
  /// outcome; the caller pays for the time.
  func query<T: Sendable>(
    for caller: QueryCaller, _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    then: @escaping @Sendable (ChannelHost, Result<T, ServiceError>) -> Void
  ) {
    let resume = resumption(then)
    let services = shard.services
    services.store.query(for: caller.principal, job) { result, cost in
      caller.pay(cost, to: services)
      resume(result)
    }
  }

  /// Reads a stretch of messages, and encodes each of them on the store's thread as it is read.
  func messages(
    _ command: MessageList, from authors: MessageQuery.OperatorFilter = .all,
    for caller: QueryCaller,
    _ encode: @escaping @Sendable (ReadTransaction, Message) throws -> [UInt8],
    then: @escaping @Sendable (ChannelHost, Result<[UInt8], ServiceError>) -> Void
  ) {
    do throws(ServiceError) { try requireKeptMessages() } catch {
      return then(self, .failure(error))
    }
    var query = MessageQuery(command, channelID: place.id)
    query.operatorFilter = authors
    self.query(
      for: caller,
      { [query] transaction in
        try transaction.listMessages(query) { PageItem(json: try encode(transaction, $0)) }
          .encoded()
      }, then: then)
  }
}

extension MessageQuery {
  fileprivate init(_ command: MessageList, channelID: Int64) {
    let anchor: Anchor =
      switch command.anchor {
      case .message(let id): .message(id)
      case .time(let time): .time(time)
      // Not the clock's time: messages of this very millisecond would come on top of the limit, and
      // those that carry a later one, the clock having been set back, would be missed.
      case .now: .time(Limits.timestamps.upperBound)
      }
    self.init(
      channelID: channelID, anchor: anchor, previousLimit: command.previousLimit,
      nextLimit: command.nextLimit, center: command.includesAnchor ? .included : .excluded,
      order: command.isReversed ? .newestFirst : .oldestFirst,
      messageType: command.filter.type, customTypes: command.filter.customTypes ?? [],
      senderIDs: command.filter.senderIDs ?? [])
  }
}
