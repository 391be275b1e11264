package import Channels
package import ParleyProtocol

/// Changes the word filter of the deployment or of a custom type.
///
/// The outcome is that of ``SharedLimits`` after the change.
package struct WordFilterChange: StoreWrite {
  package enum Action: Sendable, Hashable {
    /// Sets the given parts; others keep their values, or take those of the deployment at first.
    case set(keywords: [String]?, kind: WordFilterKind?)
    /// Removes the rules of a custom type, so that those of the deployment apply.
    case remove
  }

  package var action: Action
  /// `nil` for the deployment.
  package var customType: String?

  package init(_ action: Action, ofCustomType customType: String?) {
    self.action = action
    self.customType = customType
  }

  package var statements: WriteStatements<LimitOverrides> {
    .init { transaction in
      try transaction.change(self)
      try transaction.announce(.limits)
      return try transaction.limitOverrides()
    }
  }
}

extension StoreTransaction {
  /// The word filters of the deployment and of custom types.
  func wordFilters() throws -> WordFilterSet {
    var filters = WordFilterSet()
    let rows = try connection.all("SELECT scope, name, kind, words FROM word_filters", []) {
      row -> (isDeployment: Bool, name: String, rules: WordFilterRules) in
      guard let kind = WordFilterKind(rawValue: row[2]) else {
        throw StoreError.damaged(path: "a row of word_filters", reason: "an unknown kind")
      }
      let words = try StoredJSON.decode([String].self, from: row[3])
      return (row[0] == "deployment", row[1], WordFilterRules(keywords: words, kind: kind))
    }
    for row in rows {
      if row.isDeployment {
        filters.deployment = row.rules
      } else {
        filters.customTypes[row.name] = row.rules
      }
    }
    return filters
  }
}

extension WriteTransaction {
  fileprivate func change(_ change: WordFilterChange) throws {
    let (scope, name) = (
      change.customType == nil ? "deployment" : "custom_type", change.customType ?? ""
    )
    switch change.action {
    case .remove:
      try connection.execute(
        "DELETE FROM word_filters WHERE scope = ? AND name = ?", [scope, name])
    case .set(let keywords, let kind):
      let present = try wordFilters()
      let rules =
        change.customType.flatMap { present.customTypes[$0] } ?? present.deployment
        ?? WordFilterRules()
      try connection.execute(
        """
        INSERT INTO word_filters (scope, name, kind, words) VALUES (?, ?, ?, ?)
        ON CONFLICT (scope, name) DO UPDATE SET kind = excluded.kind, words = excluded.words
        """,
        [
          scope, name, (kind ?? rules.kind).rawValue,
          StoredJSON.encode(keywords ?? rules.keywords),
        ])
    }
  }
}
