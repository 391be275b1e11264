internal import ArgumentParser
internal import ParleyProtocol

extension GroupCommand {
  /// Lists a group's members.
  struct Members: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "members",
      abstract: "List the members of a group in the order in which they became members.")

    @OptionGroup var group: GroupArgument

    @Option(help: "Only members who are in this state.")
    var state: State?

    /// The state of a member.
    enum State: String, ExpressibleByArgument, CaseIterable {
      case joined, invited
    }

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let query = state.map { [("member_state_filter", "\($0.rawValue)_only")] } ?? []
      let list = PagedList(
        "\(group.path)/members", query: query, member: "members", whenEmpty: "no members",
        columns: MemberText.columns, row: MemberText.row(ofMember:))
      try page.show(list, gateway, output)
    }
  }
}

extension GroupCommand {
  /// Adds users to a group.
  struct Invite: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "invite", abstract: "Add users to a group.",
      discussion: """
        Users join at once, except those who accept invitations themselves: they are invited. If \
        one of the users is unknown, deactivated or banned, nobody is added.
        """)

    @OptionGroup var group: GroupArgument

    @Option(
      name: .customLong("user"),
      help: ArgumentHelp("The id of a user; repeatable.", valueName: "user id"))
    var users: [String]

    @Option(
      help: ArgumentHelp(
        "The id of the inviter, who need not be a member.", valueName: "user id"))
    var invitedBy: String?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("user_ids", users)
      body.set("inviter_id", invitedBy)
      let answer = try gateway.client().call("POST", "\(group.path)/invite", body: body)
      try output.show(answer) { group in
        var table = TextTable(MemberText.columns)
        for member in group.list("members") where users.contains(member.text("user_id")) {
          table.add(MemberText.row(ofMember: member))
        }
        return table.takeLines()
      }
    }
  }
}

extension GroupCommand {
  /// Removes members from a group.
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Remove members and invited users from a group.",
      discussion: """
        Removed operators lose their role, other than with 'leave'. Users who are not members are \
        ignored.
        """)

    @OptionGroup var group: GroupArgument

    @Option(
      name: .customLong("user"),
      help: ArgumentHelp("The id of a member; repeatable.", valueName: "user id"))
    var users: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("user_ids", users)
      body.set("should_remove_operator_status", true)
      let answer = try gateway.client().call("PUT", "\(group.path)/leave", body: body)
      try output.show(answer, as: "removed from \(group.url): \(users.joined(separator: ", "))")
    }
  }
}

extension GroupCommand {
  /// Accepts an invitation.
  struct Accept: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "accept", abstract: "Accept the invitation of a user to a group.")

    @OptionGroup var change: MembershipArguments

    func run() throws { try change.perform("accept", as: "joined") }
  }
}

extension GroupCommand {
  /// Declines an invitation.
  struct Decline: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "decline", abstract: "Decline the invitation of a user to a group.")

    @OptionGroup var change: MembershipArguments

    func run() throws { try change.perform("decline", as: "declined the invitation to") }
  }
}

extension GroupCommand {
  /// Lets a user join a public group.
  struct Join: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "join", abstract: "Let a user join a public group.")

    @OptionGroup var change: MembershipArguments

    @Option(help: ArgumentHelp("The group's access code.", valueName: "text"))
    var accessCode: String?

    func run() throws {
      var body = change.body
      body.set("access_code", accessCode)
      try change.perform("join", body, as: "joined")
    }
  }
}

extension GroupCommand {
  /// Lets a member leave a group.
  struct Leave: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "leave", abstract: "Let a member leave a group.",
      discussion: """
        Operators keep their role for their return. A user who is not a member is ignored.
        """)

    @OptionGroup var change: MembershipArguments

    func run() throws {
      var body = RequestBody()
      body.set("user_ids", [change.user])
      try change.perform("leave", body, as: "left")
    }
  }
}

/// Arguments of commands that change the membership of one user on the user's behalf.
struct MembershipArguments: ParsableArguments {
  @OptionGroup var group: GroupArgument

  @Option(help: ArgumentHelp("The id of the user.", valueName: "user id"))
  var user: String

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  /// The body with the user.
  var body: RequestBody {
    var body = RequestBody()
    body.set("user_id", user)
    return body
  }

  /// Changes the membership and prints the result.
  ///
  /// - Parameters:
  ///   - verb: The last part of the path in the Platform API.
  ///   - body: The request body; that with the user if `nil`.
  ///   - result: The words between the user and the group in the result.
  func perform(_ verb: String, _ body: RequestBody? = nil, as result: String) throws {
    let answer = try gateway.client().call("PUT", "\(group.path)/\(verb)", body: body ?? self.body)
    try output.show(answer, as: "\(user) \(result) \(group.url)")
  }
}
