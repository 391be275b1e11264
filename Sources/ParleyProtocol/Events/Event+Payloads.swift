extension Event {
  /// The message that was deleted.
  package struct Deletion: Sendable, Hashable {
    package var messageID: Int64
    /// Of a message of a group, as far as they are known: see ``Message/ordinal``.
    package var ordinal: Int64?
    /// The author of a message of a group.
    package var senderID: String?
    /// The members whom a message with an ordinal has mentioned, as far as they are known.
    package var mentions: MessageMentions?
    /// The number of the event with which the message arrived, if it is known; not part of the event.
    package var arrival: Int64?

    package init(messageID: Int64) {
      self.messageID = messageID
    }

    package init(of message: Message) {
      messageID = message.id
      ordinal = message.ordinal
      senderID = message.ordinal == nil ? nil : message.user?.id
      if message.ordinal ?? 0 > 0 { mentions = MessageMentions(of: message) }
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      messageID = try reader.integer("message_id")
      if reader.node.present("ordinal") != nil { ordinal = try reader.integer("ordinal") }
      if reader.node.present("sender_id") != nil { senderID = try reader.text("sender_id") }
      mentions = try MessageMentions(reader)
    }

    /// The deletion as shown to a client that missed the events after one.
    ///
    /// A message that arrived after it was never counted by the client, so its deletion has no ordinal.
    package func shown(after seq: Int64) -> Deletion {
      guard let arrival, arrival > seq else { return self }
      var deletion = self
      (deletion.ordinal, deletion.mentions) = (nil, nil)
      return deletion
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("message_id", messageID)
      if let ordinal { writer.member("ordinal", ordinal) }
      if let senderID { writer.member("sender_id", senderID) }
      mentions?.encode(into: &writer)
    }
  }

  /// A mute or ban of a user.
  package struct Restriction: Sendable, Hashable {
    package var user: User
    /// The duration from the event on; −1 means ten years.
    package var seconds: Int64
    /// The operator's description; empty if none was given.
    package var description: String

    package init(user: User, seconds: Int64, description: String) {
      self.user = user
      self.seconds = seconds
      self.description = description
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      user = try User(json: reader.member("user"))
      seconds = reader.node.present("seconds") == nil ? -1 : try reader.integer("seconds")
      description = try reader.optionalText("description")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("user", user)
      writer.member("seconds", seconds)
      writer.member("description", description)
    }
  }

  /// The user whose mute or ban was lifted.
  package struct Release: Sendable, Hashable {
    package var user: User

    package init(user: User) {
      self.user = user
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      user = try User(json: reader.member("user"))
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("user", user)
    }
  }

  /// All operators of a channel after a change, as far as they fit into an event.
  package struct Operators: Sendable, Hashable {
    package let users: [User]

    package init(_ users: [User]) {
      self.users = users
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      users = try [User](json: reader.member("operators"))
    }

    func encode(into writer: inout JSONWriter) {
      writer.name("operators")
      users.fitted().encodeReferences(into: &writer)
    }
  }

  /// A user who entered or left, and the resulting number of participants.
  package struct Presence: Sendable, Hashable {
    package var user: User
    package var participantCount: Int

    package init(user: User, participantCount: Int) {
      self.user = user
      self.participantCount = participantCount
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      user = try User(json: reader.member("user"))
      participantCount = try reader.count("participant_count")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("user", user)
      writer.member("participant_count", participantCount)
    }
  }

  /// The number of participants of a channel.
  package struct ParticipantCount: Sendable, Hashable {
    package var count: Int

    package init(_ count: Int) {
      self.count = count
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      count = try reader.count("participant_count")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("participant_count", count)
    }
  }

  /// The messages that were not delivered to a participant.
  package struct Throttling: Sendable, Hashable {
    package var withheld: Int
    package var firstMessageID: Int64
    /// The last one; messages that were delivered may lie between the two.
    package var lastMessageID: Int64

    package init(withheld: Int, firstMessageID: Int64, lastMessageID: Int64) {
      self.withheld = withheld
      self.firstMessageID = firstMessageID
      self.lastMessageID = lastMessageID
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      withheld = try reader.count("withheld")
      firstMessageID = try reader.integer("first_message_id")
      lastMessageID = try reader.integer("last_message_id")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("withheld", withheld)
      writer.member("first_message_id", firstMessageID)
      writer.member("last_message_id", lastMessageID)
    }
  }

  /// The number of participants to whom a message was not delivered.
  package struct Withholding: Sendable, Hashable {
    package var messageID: Int64
    /// Counts only participants on the observer's server.
    package var count: Int

    package init(messageID: Int64, count: Int) {
      self.messageID = messageID
      self.count = count
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      messageID = try reader.integer("message_id")
      count = try reader.count("participants")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("message_id", messageID)
      writer.member("participants", count)
    }
  }

  /// The end of a session whose token is not refreshed.
  package struct Expiry: Sendable, Hashable {
    /// Unix milliseconds.
    package var expiresAt: Int64

    package init(expiresAt: Int64) {
      self.expiresAt = expiresAt
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      expiresAt = try reader.integer("expires_at")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("expires_at", expiresAt)
    }
  }

  /// A key with which a user opens files.
  package struct FileKey: Sendable, Hashable {
    package var key: String
    /// Unix milliseconds.
    package var expiresAt: Int64

    package init(key: String, expiresAt: Int64) {
      self.key = key
      self.expiresAt = expiresAt
    }

    /// Reads the member `file_key`.
    init(_ reader: ResourceReader) throws(ResourceError) {
      let inner = try ResourceReader("file_key", try reader.member("file_key"))
      key = try inner.text("key")
      expiresAt = try inner.integer("expires_at")
    }

    /// Writes the member `file_key`.
    package func encode(into writer: inout JSONWriter) {
      writer.member(
        "file_key",
        object: {
          $0.member("key", key)
          $0.member("expires_at", expiresAt)
        })
    }
  }

  /// The pause before a client of a draining server should connect again.
  package struct Draining: Sendable, Hashable {
    /// Milliseconds, which differ between clients.
    package var reconnectAfter: Int64

    package init(reconnectAfter: Int64) {
      self.reconnectAfter = reconnectAfter
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      reconnectAfter = try reader.integer("reconnect_after_ms")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("reconnect_after_ms", reconnectAfter)
    }
  }
}

extension JSONWriter {
  /// Writes a user as events have it.
  mutating func member(_ name: StaticString, _ user: User) {
    self.name(name)
    user.encodeReference(into: &self)
  }
}
