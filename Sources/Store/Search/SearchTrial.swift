import Search

/// Decides whether a search walks along all messages or uses the index.
///
/// For a beginning, and in PostgreSQL for all words, an index reads an entry of each message that has it before
/// the first one is known. Walking stops as soon as a page and the count are full, which takes few messages when
/// many match.
struct SearchTrial {
  /// The number of messages from which on those of a small channel are read sooner than all with a beginning.
  private static let largeCount = 1_000_000

  /// The messages in the index.
  var messageCount: Int
  /// The time to examine 1,000 messages, in times that the index takes for an entry.
  var walkCost: Double

  var isLarge: Bool { messageCount >= Self.largeCount }

  /// - Parameter matchCount: The number of messages that match among some that were examined.
  func prefersWalk(matchCount: Int, among examinedCount: Int) -> Bool {
    guard examinedCount > 0 else { return false }
    // A walk examines 1,000 / share messages, the index reads share × messages entries.
    let share = Double(matchCount) / Double(examinedCount)
    return share * share * Double(messageCount) > walkCost
  }
}

extension SearchTrial {
  /// - Returns: `nil` if the index is quick in any case.
  init?(for terms: [IndexTerm], on connection: StoreConnection) throws {
    if connection.session.hasTokenDocuments {
      guard terms.hasShortWord else { return nil }
      let count = try connection.first(
        "SELECT reltuples::bigint FROM pg_class WHERE oid = 'search_documents'::regclass", []
      ) { $0[0] as Int }
      self.init(messageCount: count ?? 0, walkCost: 5_000)
    } else {
      guard terms.hasShortBeginning else { return nil }
      self.init(messageCount: try IndexPlaces(on: connection).count, walkCost: 50_000)
    }
    guard prefersWalk(matchCount: 1, among: 1) else { return nil }
  }
}
