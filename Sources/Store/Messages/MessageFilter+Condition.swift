import ParleyProtocol

extension Condition {
  /// Requires what a filter does, but for the times, which end a range of messages.
  ///
  /// - Parameter table: The name of `messages` in the statement, with a dot.
  mutating func require(_ filter: MessageFilter, of table: String = "") {
    if let type = filter.type { require("\(table)type = ?", [type.rawValue]) }
    require("\(table)custom_type", isAnyOf: filter.customTypes)
    require("\(table)user_id", isAnyOf: filter.senderIDs)
    if let userID = filter.mentionedUserID {
      require(.mentions(in: table), [MentionType.channel.rawValue, userID])
    }
    switch filter.hasFile {
    case true?: require("\(table)file IS NOT NULL")
    case false?: require("\(table)file IS NULL")
    case nil: break
    }
    let beginnings: StoreArguments = MessageFilter.linkBeginnings.reduce(into: []) { $0 += [$1] }
    switch filter.hasLink {
    case true?: require(.links(in: table), beginnings)
    case false?: require("NOT \(.links(in: table))", beginnings)
    case nil: break
    }
    if let time = filter.updatedSince {
      require("\(table)updated_at >= ?", [max(time, 1)])
    }
  }
}

extension StoreStatement {
  /// Whether a message mentions all of its channel, or a user.
  fileprivate static func mentions(in table: String) -> StoreStatement {
    StoreStatement(
      sqlite: """
        (\(table)mention_type = ? OR EXISTS (
          SELECT 1 FROM json_each(\(table)mentioned_users) WHERE value = ?))
        """,
      postgreSQL: """
        (\(table)mention_type = ? OR EXISTS (
          SELECT 1 FROM json_array_elements_text(\(table)mentioned_users::json) AS m (value)
          WHERE value = ?))
        """)
  }

  /// Whether a message has a preview, or one of the beginnings of addresses in its text.
  fileprivate static func links(in table: String) -> StoreStatement {
    let beginning = MessageFilter.linkBeginnings.map { _ in contains("lower(\(table)text)") }
      .joined(separator: " OR ")
    return "(\(StoreStatement(table))og_tag IS NOT NULL OR \(beginning))"
  }
}
