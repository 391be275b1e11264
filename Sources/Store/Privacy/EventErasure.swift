import ParleyProtocol

/// Takes the profile of a user out of the events of channels, some at a time.
///
/// The id stays, because clients that reconnect learn from these events who has joined and left.
package struct EventErasure: StoreWrite {
  /// The position of a pass over the events.
  package struct Position: Sendable, Hashable {
    package var channel: Int64 = 0
    package var seq: Int64 = 0

    package init() {}

    package var text: String { "\(channel):\(seq)" }

    package init?(_ text: String) {
      let parts = text.split(separator: ":").map { Int64($0) }
      guard parts.count == 2, let channel = parts[0], let seq = parts[1] else { return nil }
      (self.channel, self.seq) = (channel, seq)
    }
  }

  package var userID: String
  package var position: Position
  package var limit: Int

  package init(of userID: String, after position: Position, limit: Int = 2_000) {
    self.userID = userID
    self.position = position
    self.limit = limit
  }

  package var urgency: WriteUrgency { .aside }
  /// The position after which to continue; `nil` at the end.
  package var statements: WriteStatements<Position?> { .init { try $0.eraseProfile(self) } }
}

extension WriteTransaction {
  fileprivate func eraseProfile(_ step: EventErasure) throws -> EventErasure.Position? {
    let events = try connection.all(
      """
      SELECT channel_id, seq, payload FROM events \(.primaryKey)
      WHERE (channel_id, seq) > (?, ?) ORDER BY channel_id, seq LIMIT ?
      """, [step.position.channel, step.position.seq, step.limit]
    ) { (channel: $0[0] as Int64, seq: $0[1] as Int64, payload: $0[2] as String?) }
    let name = StoredJSON.encode(step.userID)
    for event in events {
      guard let payload = event.payload, payload.contains(name),
        let root = try? JSONDocument(payload).root
      else { continue }
      let rest = JSONWriter.bytes { root.write(withoutProfileOf: step.userID, to: &$0) }
      try connection.execute(
        "UPDATE events SET payload = ? WHERE channel_id = ? AND seq = ?",
        [String(decoding: rest, as: UTF8.self), event.channel, event.seq])
    }
    guard events.count == step.limit, let last = events.last else { return nil }
    var position = EventErasure.Position()
    (position.channel, position.seq) = (last.channel, last.seq)
    return position
  }
}

extension JSONNode {
  /// Writes the value; objects about a user keep its id, and have empty names and addresses.
  fileprivate func write(withoutProfileOf userID: String, to writer: inout JSONWriter) {
    switch kind {
    case .object:
      let isUser = self["user_id"]?.string == userID
      writer.object { writer in
        for (name, value) in members {
          writer.name(escaping: name)
          switch name {
          case "nickname" where isUser, "profile_url" where isUser: writer.value("")
          case "metadata" where isUser: writer.object { _ in }
          default: value.write(withoutProfileOf: userID, to: &writer)
          }
        }
      }
    case .array:
      writer.array { writer in
        for element in elements { element.write(withoutProfileOf: userID, to: &writer) }
      }
    case .string, .number, .bool, .null: writer.value(raw: raw)
    }
  }
}
