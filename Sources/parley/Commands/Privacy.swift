internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Commands that erase users, or write all that names them to a file.
struct PrivacyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "privacy", abstract: "Erase users, or write all that names them to a file.",
    discussion: """
      The gateway works at one request at a time; 'privacy show' prints how far it is. Backups are not \
      changed: remove those that have the erased data.

      EXAMPLES:
        parley privacy erase ada --messages anonymize
        parley privacy access ada bob
        parley privacy list
        parley privacy show 0123456789abcdef01234567
        parley privacy cancel 0123456789abcdef01234567
      """,
    subcommands: [Erase.self, Access.self, List.self, Show.self, Cancel.self])

  fileprivate static let path = "/v3/privacy/gdpr"

  /// The fate of the messages of erased users.
  enum Messages: String, ExpressibleByArgument, CaseIterable {
    case remove
    case anonymize
    case keep
  }

  /// The groups that are deleted with their members.
  enum Channels: String, ExpressibleByArgument, CaseIterable {
    case none
    case pairs = "1_on_1"
    case all
  }
}

/// The request that a command applies to.
struct PrivacyRequestArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The request id, from 'privacy list'.", valueName: "request id"))
  var id: String

  /// The path of the request.
  fileprivate var path: String {
    "\(PrivacyCommand.path)/\(PercentEncoding.encode(pathPart: id))"
  }
}

extension PrivacyCommand {
  /// Erases users.
  struct Erase: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "erase", abstract: "Erase users with all that names them.",
      discussion: """
        Removes the users with their tokens, devices, files, roles, memberships, mentions and reports. \
        Anonymized messages stay under an id that belongs to no user; kept ones stay under the id of \
        the user, without its name. Bytes of removed rows stay in the files of SQLite until 'parley store \
        vacuum' rewrites them.
        """)

    @Argument(help: ArgumentHelp("The users to erase.", valueName: "user id"))
    var users: [String]

    @Option(help: "Remove, anonymize or keep the messages of the users.")
    var messages = Messages.remove

    @Option(help: "Delete groups of the users: none, those of two members (1_on_1), or all.")
    var channels = Channels.none

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      try confirmation.ask("Erase \(users.joined(separator: ", "))? This cannot be undone.")
      var body = RequestBody()
      body.set("action", "delete")
      body.set("user_ids", users)
      body.set("messages", messages.rawValue)
      if channels != .none { body.set("channel_delete_option", channels.rawValue) }
      let answer = try gateway.client().call("POST", path, body: body)
      try output.show(answer) { ["request \($0.text("request_id")) is \($0.text("status"))"] }
    }
  }

  /// Writes an archive of users.
  struct Access: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "access", abstract: "Write all that names users to a compressed file.",
      discussion: """
        'privacy show' prints the address of the file once the status is done. The address needs no token \
        and is valid for 7 days.
        """)

    @Argument(help: ArgumentHelp("The users to look for.", valueName: "user id"))
    var users: [String]

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      var body = RequestBody()
      body.set("action", "access")
      body.set("user_ids", users)
      let answer = try gateway.client().call("POST", path, body: body)
      try output.show(answer) { ["request \($0.text("request_id")) is \($0.text("status"))"] }
    }
  }

  /// Lists requests.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List erasures and archives, newest first.")

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let list = PagedList(
        path, member: "requests", whenEmpty: "no requests",
        columns: [
          .text("request"), .text("action"), .text("status"), .text("created"), .text("users"),
          .text("error"),
        ],
        row: { request in
          let users = request["params"]?.list("user_ids").compactMap(\.string) ?? []
          return [
            request.text("request_id"), request.text("action"), request.text("status"),
            request.time("created_at"), users.joined(separator: " "), request.text("error"),
          ]
        })
      try page.show(list, gateway, output)
    }
  }

  /// Shows a request.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a request, with the address of its file.")

    @OptionGroup var request: PrivacyRequestArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("GET", request.path)
      try output.show(answer, as: LongRequestText.lines(of:))
    }
  }

  /// Cancels a request.
  struct Cancel: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "cancel", abstract: "Cancel a request at which the work has not begun.")

    @OptionGroup var request: PrivacyRequestArgument
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call("DELETE", request.path)
      try output.show(answer, as: "request \(request.id) is cancelled")
    }
  }
}
