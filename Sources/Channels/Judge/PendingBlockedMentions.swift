import ParleyProtocol

/// An event about a message by a user, which changes the numbers of unread mentions of members.
struct MentionNote: Sendable {
  let authorID: String
  let ordinal: Int64
  /// Of the message, also before a change.
  let mentions: [MessageMentions]
}

/// The search for members who block the author of a message that mentions them.
///
/// They do not count the mention, which their clients cannot know from the event. So they are notified of their
/// numbers after it.
struct PendingBlockedMentions: Sendable {
  private var notes: [Int64: MentionNote] = [:]

  var isEmpty: Bool { notes.isEmpty }

  /// Asks the log, as the view of this number.
  mutating func begin(
    _ note: MentionNote, _ number: Int64, in standing: Standing, into actions: inout JudgeActions
  ) {
    notes[number] = note
    actions.append(
      .read(.view(number), .blockers(ofUser: note.authorID, channelID: standing.place.id)))
  }

  /// - Returns: The members to notify; none for the number of another view, or if the log could not answer.
  mutating func didRead(
    _ number: Int64, _ result: LogResult, in standing: Standing
  ) -> [String] {
    guard let note = notes.removeValue(forKey: number),
      case .success(.read(.ids(let ids))) = result
    else { return [] }
    return ids.filter { id in
      note.mentions.contains { $0.include(id) }
        && standing.rights.members?.hasUnread(note.ordinal, id) == true
    }
  }
}

extension Standing {
  /// Notes an event about a message of a group.
  ///
  /// - Parameter former: The mentions before the event, if it has changed or removed them.
  mutating func noteMentions(in message: Message, before former: MessageMentions? = nil) {
    guard let ordinal = message.ordinal, ordinal > 0, let authorID = message.user?.id else {
      return
    }
    let mentions = [former, MessageMentions(of: message)].compactMap(\.self)
    guard !mentions.isEmpty else { return }
    self.mentions.append(MentionNote(authorID: authorID, ordinal: ordinal, mentions: mentions))
  }

  /// Removes and returns the notes.
  mutating func takeMentions() -> [MentionNote] {
    guard !mentions.isEmpty else { return [] }
    defer { mentions = [] }
    return mentions
  }
}
