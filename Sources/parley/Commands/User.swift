internal import Basics
internal import ArgumentParser
internal import HTTP
internal import ParleyProtocol

/// Commands for users.
struct UserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user",
    abstract: "Create, list, show, change and delete users.",
    discussion: """
      EXAMPLES:
        parley user create ada --nickname Ada --issue-access-token
        parley user list --nickname-prefix A
        parley user token issue ada --hours 24
        parley user metadata set ada team=red
        parley user block ada jeff
        parley user preferences ada --no-auto-accept
        parley user deactivate jeff
        parley user delete jeff --yes
      """,
    subcommands: [
      Create.self, List.self, Show.self, Update.self, Deactivate.self,
      Reactivate.self, Delete.self, Block.self, Unblock.self, Blocked.self, Preferences.self,
      UserTokenCommand.self, MetadataCommand<UserArgument>.self,
    ])
}

extension UserCommand {
  /// Creates a user.
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
      if fields.profileURL == nil, fields.picture == nil { body.set("profile_url", "") }
      let answer = try gateway.client().call("POST", "/v3/users", body, fields.picture)
      try output.show(answer, as: UserText.lines(ofUser:))
    }
  }
}

extension UserCommand {
  /// Lists users.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List users.")

    @Option(help: ArgumentHelp("Only users with this nickname.", valueName: "text"))
    var nickname: String?

    @Option(
      help: ArgumentHelp("Only users whose nickname begins with this text.", valueName: "text"))
    var nicknamePrefix: String?

    @Option(help: "Only users who are active, or only those who are not.")
    var activeMode: ActiveMode?

    /// Whether users are active, as in the Platform API.
    enum ActiveMode: String, ExpressibleByArgument, CaseIterable {
      case activated, deactivated
    }

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var query: [(String, String)] = []
      if let nickname { query.append(("nickname", nickname)) }
      if let nicknamePrefix { query.append(("nickname_startswith", nicknamePrefix)) }
      if let activeMode { query.append(("active_mode", activeMode.rawValue)) }
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
      commandName: "update", abstract: "Change fields of a user.")

    @OptionGroup var user: UserArgument
    @OptionGroup var fields: UserFieldOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard !fields.body.isEmpty || fields.picture != nil else {
        throw ValidationError("no field to change is given; see --help for the options")
      }
    }

    func run() throws {
      let answer = try gateway.client().call("PUT", user.path, fields.body, fields.picture)
      try output.show(answer, as: UserText.lines(ofUser:))
    }
  }
}

extension UserCommand {
  /// Deactivates a user.
  struct Deactivate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "deactivate", abstract: "Close the sessions of a user and refuse new ones.")

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
  /// Reactivates a user.
  struct Reactivate: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reactivate", abstract: "Allow a deactivated user to open sessions again.")

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
  /// Deletes a user.
  struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete", abstract: "Delete a user, keeping the user's messages.")

    @OptionGroup var user: UserArgument
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("Delete the user \(DisplayText.shortened(user.id))?")
      let answer = try gateway.client().call("DELETE", user.path)
      try output.show(answer, as: "\(user.id) is deleted")
    }
  }
}

/// The user that a command applies to.
struct UserArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The user id.", valueName: "user id"))
  var id: String

  func validate() throws {
    guard !id.isEmpty else { throw ValidationError("the user id is empty") }
  }

  /// The path in the Platform API.
  var path: String { UserPath.of(id) }
}

/// Fields of a user.
struct UserFieldOptions: ParsableArguments {
  @Option(help: "The name to show, at most 80 characters.")
  var nickname: String?

  @Option(help: ArgumentHelp("The URL of a profile picture.", valueName: "url"))
  var profileURL: String?

  @Option(
    name: .customLong("profile-picture"),
    help: ArgumentHelp("Upload this file as the profile picture.", valueName: "path"),
    completion: .file())
  var pictureFile: String?

  @Flag(help: "Issue an access token without expiry; it replaces the previous one.")
  var issueAccessToken = false

  /// The file of a picture, with the name of its part in a form.
  var picture: PictureFile? { pictureFile.map { PictureFile(part: "profile_file", path: $0) } }

  func validate() throws {
    guard profileURL == nil || pictureFile == nil else {
      throw ValidationError("give --profile-url or --profile-picture, not both")
    }
  }

  /// The members of the request body.
  var body: RequestBody {
    var body = RequestBody()
    body.set("nickname", nickname)
    body.set("profile_url", profileURL)
    if issueAccessToken { body.set("issue_access_token", true) }
    return body
  }
}

/// Formats users as text.
enum UserText {
  /// Returns all fields of a user.
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

  /// Returns a user's row in that table.
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

/// The paths of users in the Platform API.
enum UserPath {
  static func of(_ id: String) -> String { "/v3/users/\(PercentEncoding.encode(pathPart: id))" }
}
