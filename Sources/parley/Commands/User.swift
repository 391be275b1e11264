internal import ArgumentParser
internal import HTTP1
internal import ParleyProtocol

/// Users.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract: "Create, change and look at users.",
    discussion: """
      EXAMPLES:
        parley user create ada --nickname Ada --issue-access-token
        parley user list --nickname-prefix A
        parley user token issue ada --hours 24
        parley user metadata set ada team=red
        parley user deactivate jeff
        parley user delete jeff --yes
      """,
    subcommands: [
      Create.self, List.self, Show.self, Update.self, Deactivate.self,
      Reactivate.self, Delete.self, UserTokenCommand.self,
      MetadataCommand<UserArgument>.self,
    ])
}

extension UserCommand {
  /// Makes a user.
  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "create", abstract: "Create a user.")

    @OptionGroup var user: UserArgument
    @OptionGroup var fields: UserFieldOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = fields.body
      body.set("user_id", user.id)
      if fields.nickname == nil { body.set("nickname", "") }
      if fields.profileURL == nil { body.set("profile_url", "") }
      let answer = try gateway.client().call("POST", "/v3/users", body: body)
      try output.show(answer, as: UserText.lines(ofUser:))
    }
  }
}

extension UserCommand {
  /// Shows users.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List users.")

    @Option(help: ArgumentHelp("Only those of this nickname.", valueName: "text"))
    var nickname: String?

    @Option(help: ArgumentHelp("Only those whose nickname begins so.", valueName: "text"))
    var nicknamePrefix: String?

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var query: [(String, String)] = []
      if let nickname { query.append(("nickname", nickname)) }
      if let nicknamePrefix { query.append(("nickname_startswith", nicknamePrefix)) }
      let list = PagedList(
        "/v3/users", query: query, member: "users", whenEmpty: "no users",
        columns: UserText.columns, row: UserText.row(ofUser:))
      try page.show(list, gateway, output)
    }
  }
}

extension UserCommand {
  /// Shows one user.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "show", abstract: "Show a user.")

    @OptionGroup var user: UserArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", user.path)
      try output.show(answer, as: UserText.lines(ofUser:))
    }
  }
}

extension UserCommand {
  /// Changes a user.
  struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "update", abstract: "Change what is given of a user, and leave the rest.")

    @OptionGroup var user: UserArgument
    @OptionGroup var fields: UserFieldOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !fields.body.isEmpty else { throw ValidationError("nothing to change is given") }
    }

    func run() throws {
      let answer = try gateway.client().call("PUT", user.path, body: fields.body)
      try output.show(answer, as: UserText.lines(ofUser:))
    }
  }
}

extension UserCommand {
  /// Put a user out and let it open no session.
  struct Deactivate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "deactivate", abstract: "Put a user out and let it open no session.")

    @OptionGroup var user: UserArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("is_active", false)
      let answer = try gateway.client().call("PUT", user.path, body: body)
      try output.show(answer, as: UserText.lines(ofUser:))
    }
  }
}

extension UserCommand {
  /// Let a deactivated user open sessions again.
  struct Reactivate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reactivate", abstract: "Let a deactivated user open sessions again.")

    @OptionGroup var user: UserArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("is_active", true)
      let answer = try gateway.client().call("PUT", user.path, body: body)
      try output.show(answer, as: UserText.lines(ofUser:))
    }
  }
}

extension UserCommand {
  /// Removes a user.
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a user; its messages stay.")

    @OptionGroup var user: UserArgument
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("Delete the user \(PlainLine.clean(user.id))?")
      let answer = try gateway.client().call("DELETE", user.path)
      try output.show(answer, as: "\(user.id) is deleted")
    }
  }
}

/// Which user is meant.
struct UserArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The user.", valueName: "user id"))
  var id: String

  func validate() throws {
    guard !id.isEmpty else { throw ValidationError("the user's id is empty") }
  }

  /// Its place in the Platform API.
  var path: String { "/v3/users/\(PercentEncoding.encode(pathPart: id))" }
}

/// What a user is given.
struct UserFieldOptions: ParsableArguments {
  @Option(help: "The name shown to others.")
  var nickname: String?

  @Option(help: ArgumentHelp("The address of a picture.", valueName: "url"))
  var profileURL: String?

  @Flag(help: "Issue an access token that does not expire; one from before is no longer valid.")
  var issueAccessToken = false

  /// The members of the call.
  var body: RequestBody {
    var body = RequestBody()
    body.set("nickname", nickname)
    body.set("profile_url", profileURL)
    if issueAccessToken { body.set("issue_access_token", true) }
    return body
  }
}

/// Users, for people.
enum UserText {
  /// One user with all that is known of it.
  static func lines(ofUser user: JSONNode) -> [String] {
    var fields = FieldList()
    fields.add("user", user.text("user_id"))
    fields.add("nickname", user.text("nickname"))
    fields.add("picture", user.text("profile_url"))
    fields.add("state", state(of: user))
    fields.add("last seen", user.time("last_seen_at"))
    fields.add("created", user.timeInSeconds("created_at"))
    if let metadata = user.present("metadata") {
      for (key, value) in metadata.members { fields.add("metadata \(key)", value.string) }
    }
    fields.add("access token", user.text("access_token"))
    return fields.lines()
  }

  /// The columns of a table of users.
  static let columns: [TextTable.Column] = [
    .text("user"), .text("nickname"), .text("state"), .text("last seen"), .text("created"),
  ]

  /// A user in such a table.
  static func row(ofUser user: JSONNode) -> [String] {
    [
      user.text("user_id"), user.text("nickname"), state(of: user), user.time("last_seen_at"),
      user.timeInSeconds("created_at"),
    ]
  }

  private static func state(of user: JSONNode) -> String {
    guard user["is_active"]?.bool != false else { return "deactivated" }
    return user.isTrue("is_online") ? "online" : "offline"
  }
}
