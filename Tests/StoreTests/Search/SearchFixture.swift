import Channels
import ParleyProtocol

@testable import Store

/// Encodes messages as their ids.
struct IDEncoder: PageEncoder {
  var byteCount = 10

  func encode(_ item: FoundMessage) -> PageItem<Int64> {
    PageItem(item.listed.message.id, byteCount: byteCount)
  }
}

extension Fixture {
  /// Adds the messages that have come to the index.
  @discardableResult
  func index(limit: Int = 200, settled: Int64 = 0) async throws -> SearchIndexing.Outcome {
    try await store.perform(SearchIndexing(.new(recent: nil, settled: settled), limit: limit))
  }

  /// Adds all messages to the index.
  func indexAll() async throws {
    try await index()
    while try await store.perform(SearchIndexing(.old)).isBuilding {}
    while try await index().hasMore {}
  }

  func search(
    _ search: MessageSearch, among searched: SearchedMessages = .visible(toUser: "ann"),
    byteCount: Int = 10
  ) async throws -> SearchPage<Int64> {
    try await store.perform(
      FoundMessages(search, among: searched, as: IDEncoder(byteCount: byteCount)), for: .server)
  }

  /// The messages in which words occur, the newest first.
  func found(
    _ query: String, by userID: String = "ann", isExact: Bool = false
  ) async throws -> [Int64] {
    try await search(
      MessageSearch(query, isExact: isExact, limit: 100), among: .visible(toUser: userID)
    ).items
  }

  /// Changes a message's text.
  func edit(_ id: Int64, _ text: String) async throws {
    try await store.write { [lobby] in
      _ = try $0.updateMessage(id, channelID: lobby.id, MessageChanges(text: text), at: 100)
    }
  }

  /// The number of entries in the index of a token, whatever has become of the messages.
  func entries(of token: String) async throws -> Int {
    try await store.read { transaction in
      try transaction.connection.first(
        StoreStatement(
          sqlite: "SELECT count(*) FROM search WHERE search MATCH ?",
          postgreSQL: """
            SELECT count(*) FROM search_documents WHERE parley_tokens(words) @@ ?::tsquery
            """),
        [transaction.connection.session.hasTokenDocuments ? "'\(token)'" : "\"\(token)\""]
      ) { $0[0] as Int } ?? 0
    }
  }
}
