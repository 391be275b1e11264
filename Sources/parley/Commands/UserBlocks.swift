internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

extension UserCommand {
  /// Makes a user block another one.
  struct Block: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "block", abstract: "Make a user block another one.",
      discussion: """
        The invitations and mentions of the blocked user no longer reach the user, and in a group of \
        two its messages are not counted as unread. The blocked user cannot find out about it.
        """)

    @OptionGroup var users: BlockArguments
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("target_id", users.blockedID)
      let answer = try gateway.client().call("POST", users.path, body: body)
      try output.show(answer, as: "\(users.user.id) blocks \(users.blockedID)")
    }
  }
}

extension UserCommand {
  /// Ends the block of a user.
  struct Unblock: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "unblock", abstract: "End the block of a user by another one.")

    @OptionGroup var users: BlockArguments
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let blocked = PercentEncoding.encode(pathPart: users.blockedID)
      let answer = try gateway.client().call("DELETE", "\(users.path)/\(blocked)")
      try output.show(answer, as: "\(users.user.id) does not block \(users.blockedID)")
    }
  }
}

extension UserCommand {
  /// Lists the users whom a user blocks.
  struct Blocked: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "blocked", abstract: "List the users whom a user blocks.")

    @OptionGroup var user: UserArgument

    @Flag(help: "List the users who block the user instead.")
    var reverse = false

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        "\(user.path)/block", query: reverse ? [("list", "blocking_me")] : [], member: "users",
        whenEmpty: "no users", columns: UserText.columns, row: UserText.row(ofUser:))
      try page.show(list, gateway, output)
    }
  }
}

/// A user who blocks another one.
struct BlockArguments: ParsableArguments {
  @OptionGroup var user: UserArgument

  @Argument(help: ArgumentHelp("The id of the blocked user.", valueName: "blocked user id"))
  var blockedID: String

  func validate() throws {
    guard !blockedID.isEmpty else { throw ValidationError("the id of the blocked user is empty") }
  }

  /// The path in the Platform API.
  var path: String { "\(user.path)/block" }
}
