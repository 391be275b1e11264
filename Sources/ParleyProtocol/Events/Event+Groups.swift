/// Events of groups and their members.
extension Event {
  /// Users who were invited to a group.
  package struct Invitation: Sendable, Hashable {
    /// `nil` for the Platform API.
    package var inviter: User?
    package var users: [User]
    package var channel: ChannelInfo

    package init(by inviter: User?, of users: [User], to channel: ChannelInfo) {
      self.inviter = inviter
      self.users = users
      self.channel = channel
    }

    init(_ members: EventMembers) throws(ResourceError) {
      let reader = members.reader
      inviter = try reader.node.present("inviter").map { node throws(ResourceError) in
        try User(json: node)
      }
      users = try [User](json: reader.member("users"))
      channel = try members.channel()
    }

    /// Writes the members; the users as far as they fit into an event beside the channel.
    func encode(into writer: inout JSONWriter) {
      let channel = channel.encoded()
      writer.name("inviter")
      if let inviter {
        inviter.withoutPicture().encodeReference(into: &writer)
      } else {
        writer.null()
      }
      let room = Limits.eventByteCount - 2_048 - channel.count
      writer.name("users")
      users.fitted(toBytes: max(room, 2)).encodeReferences(into: &writer)
      writer.member("channel", raw: channel)
    }
  }

  /// The numbers of members of a group.
  package struct MemberCount: Sendable, Hashable {
    /// Joined and invited.
    package var all: Int
    package var joined: Int

    package init(all: Int, joined: Int) {
      self.all = all
      self.joined = joined
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      all = try reader.count("member_count")
      joined = try reader.count("joined_member_count")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("member_count", all)
      writer.member("joined_member_count", joined)
    }
  }

  /// A user who has joined a group, declined its invitation or left it, and the resulting numbers of
  /// members.
  package struct Membership: Sendable, Hashable {
    package var user: User
    package var count: MemberCount

    package init(of user: User, memberCount: Int, joinedCount: Int) {
      self.user = user
      count = MemberCount(all: memberCount, joined: joinedCount)
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      user = try User(json: reader.member("user"))
      count = try MemberCount(reader)
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("user", user)
      count.encode(into: &writer)
    }
  }

  /// A joined member who is no longer one.
  package struct Departure: Sendable, Hashable {
    package var membership: Membership
    package var loss: GroupLoss

    package var reason: DepartureReason { loss.reason }

    package init(_ membership: Membership, _ reason: DepartureReason) {
      self.membership = membership
      loss = GroupLoss(reason)
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      membership = try Membership(reader)
      loss = try GroupLoss(reader)
    }

    func encode(into writer: inout JSONWriter) {
      membership.encode(into: &writer)
      loss.encode(into: &writer)
    }
  }

  /// A group that is gone for the receiver.
  package struct GroupLoss: Sendable, Hashable {
    package var reason: DepartureReason

    package init(_ reason: DepartureReason) {
      self.reason = reason
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      reason = try reader.choice("reason")
    }

    func encode(into writer: inout JSONWriter) { writer.member("reason", reason.rawValue) }
  }

  /// The connection receives the events of all groups from here on.
  package struct Readiness: Sendable, Hashable {
    /// Begins a list of the groups that have changed since; see ``ChangeList``.
    package var token: String

    package init(token: String) {
      self.token = token
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      token = try reader.text("token")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("token", token)
    }
  }

  /// The members of a group who are typing, without the receiver.
  package struct Typing: Sendable, Hashable {
    /// Some of them, in the order in which they began.
    package var userIDs: [String]
    /// Whether further members are typing.
    package var hasMore: Bool

    package init(userIDs: [String], hasMore: Bool) {
      self.userIDs = userIDs
      self.hasMore = hasMore
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      userIDs = try reader.texts("user_ids")
      hasMore = try reader.claim("more")
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("user_ids", userIDs)
      writer.member("more", hasMore)
    }
  }

  /// How far a member has read a group, or how far its clients have received it.
  package struct Read: Sendable, Hashable {
    package var userID: String
    /// The `created_at` of the last message that it has read or received, in Unix milliseconds.
    package var readAt: Int64
    /// The message that the member has named; `nil` if it has read all messages, or those up to a time.
    package var messageID: Int64?

    package init(by userID: String, readAt: Int64, messageID: Int64? = nil) {
      self.userID = userID
      self.readAt = readAt
      self.messageID = messageID
    }

    fileprivate init(_ reader: ResourceReader) throws(ResourceError) {
      userID = try reader.text("user_id")
      readAt = try reader.integer("read_at")
      if reader.node.present("message_id") != nil { messageID = try reader.integer("message_id") }
    }

    fileprivate func encode(into writer: inout JSONWriter) {
      writer.object {
        $0.member("user_id", userID)
        $0.member("read_at", readAt)
        if let messageID { $0.member("message_id", messageID) }
      }
    }
  }

  /// Members of a group who have read or received further messages, each once.
  package struct Reads: Sendable, Hashable {
    package var reads: [Read]

    package init(_ reads: [Read]) {
      self.reads = reads
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      guard let value = reader.node["reads"], value.kind == .array else {
        throw reader.wrong("reads")
      }
      reads = []
      for element in value.elements { reads.append(try Read(ResourceReader("read", element))) }
    }

    func encode(into writer: inout JSONWriter) {
      writer.member("reads", array: { for read in reads { read.encode(into: &$0) } })
    }
  }

  /// The numbers of the receiver over all its groups.
  package struct Totals: Sendable, Hashable {
    /// The maximum number of custom types.
    package static let typeCount = 20

    package var all: GroupNumbers
    /// Of groups with a custom type, the types with the most unread messages.
    package var byCustomType: [String: GroupNumbers]

    package init(_ all: GroupNumbers, byCustomType: [String: GroupNumbers]) {
      self.all = all
      self.byCustomType = byCustomType
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      all = try GroupNumbers(reader)
      byCustomType = [:]
      guard let types = reader.node["by_custom_type"], types.kind == .object else {
        throw reader.wrong("by_custom_type")
      }
      for (type, numbers) in types.members {
        byCustomType[type] = try GroupNumbers(ResourceReader("by_custom_type", numbers))
      }
    }

    func encode(into writer: inout JSONWriter) {
      all.encode(into: &writer)
      writer.member(
        "by_custom_type",
        object: {
          for (type, numbers) in byCustomType.sorted(by: { $0.key < $1.key }) {
            $0.name(escaping: type)
            $0.object { numbers.encode(into: &$0) }
          }
        })
    }
  }
}
