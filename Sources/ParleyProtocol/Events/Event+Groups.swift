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

  /// A user who has joined a group, declined its invitation or left it, and the resulting numbers of
  /// members.
  package struct Membership: Sendable, Hashable {
    package var user: User
    /// Joined and invited.
    package var memberCount: Int
    package var joinedCount: Int

    package init(of user: User, memberCount: Int, joinedCount: Int) {
      self.user = user
      self.memberCount = memberCount
      self.joinedCount = joinedCount
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      user = try User(json: reader.member("user"))
      memberCount = try reader.count("member_count")
      joinedCount = try reader.count("joined_member_count")
    }

    func encode(into writer: inout JSONWriter) {
      writer.name("user")
      user.encodeReference(into: &writer)
      writer.member("member_count", memberCount)
      writer.member("joined_member_count", joinedCount)
    }
  }

  /// A joined member who is no longer one.
  package struct Departure: Sendable, Hashable {
    package var membership: Membership
    package var reason: DepartureReason

    package init(_ membership: Membership, _ reason: DepartureReason) {
      self.membership = membership
      self.reason = reason
    }

    init(_ reader: ResourceReader) throws(ResourceError) {
      membership = try Membership(reader)
      reason = try reader.choice("reason")
    }

    func encode(into writer: inout JSONWriter) {
      membership.encode(into: &writer)
      writer.member("reason", reason.rawValue)
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
    /// Begins a list of the groups that have changed since; see ``GroupChangeList``.
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
}
