import Channels
import Configuration
import ParleyProtocol
import Store

/// `/v3/migration/{channel_url}`: messages of another system.
enum MigrationEndpoints {
  /// `POST`: imports messages into a channel of either kind.
  ///
  /// Runs at the home of the channel, which moves the read positions afterwards. The messages go to the store
  /// directly: they are no events, so that the judge need not know them.
  static func migrate(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let services = call.services
    let now = services.clock.now
    let migration = try MessageMigration(call.body, at: now)
    try call.inChannel(completion) { channel in
      do throws(ServiceError) {
        try channel.judge.requireKeptMessages()
        if let lifetime = channel.messageLifetime {
          try migration.requireTimes(from: now - lifetime)
        }
      } catch {
        return completion.fail(error)
      }
      let write = MessagesImport(
        migration.items(at: now, services.messageIDs), into: channel.place.id)
      services.store.perform(
        write,
        completion: channel.resumption { channel, result in
          channel.finish(migration, result, completion)
        })
    }
  }
}

extension MessageMigration {
  /// The age from which no server assigns ids of that time, in milliseconds.
  private static let idAge: Int64 = 600_000

  /// The messages for the store; recent ones get ids like messages that are sent.
  fileprivate func items(at now: Int64, _ ids: MessageIDs) -> [MessagesImport.Item] {
    var items = messages.map { MessagesImport.Item($0) }
    let recent = items.indices.filter { messages[$0].createdAt > now - Self.idAge }
    for index in recent.sorted(by: { messages[$0].createdAt < messages[$1].createdAt }) {
      items[index].id = ids.next(at: min(messages[index].createdAt, now))
    }
    return items
  }

  /// The message with the earliest time, by its index; there is at least one.
  fileprivate var oldest: Int {
    messages.indices.min { messages[$0].createdAt < messages[$1].createdAt } ?? 0
  }
}

extension ChannelHost {
  /// Moves the read positions of members after an import, and answers.
  fileprivate func finish(
    _ migration: MessageMigration, _ result: Result<MessagesImport.Outcome, ServiceError>,
    _ completion: Completion
  ) {
    switch result {
    case .failure(let error): completion.fail(error)
    case .success(.unknownUser(let index)):
      let id = migration.messages[index].userID ?? ""
      completion.fail(ServiceError.notFound(.user, id).within("messages[\(index)]"))
    case .success(.imported(_, let ids)):
      let oldest = migration.oldest
      move(
        migration.readPositions, from: migration.messages[oldest].createdAt, ids[oldest],
        to: migration.messages.map(\.createdAt).max() ?? 0
      ) { completion.empty($0) }
    }
  }

  /// - Parameters:
  ///   - time: The time of the oldest message, in Unix milliseconds.
  ///   - id: Its id.
  ///   - newest: The time of the newest message.
  private func move(
    _ positions: MessageMigration.ReadPositions, from time: Int64, _ id: Int64, to newest: Int64,
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    switch positions {
    case .keep: completion(.success(()))
    case .update: change(.markReadUntil(newest), of: joinedIDs[...], then: completion)
    case .rewind:
      change(.markUnread(from: id), of: judge.readers(since: time)[...], then: completion)
    }
  }
}
