internal import ArgumentParser

/// Commands for groups.
struct GroupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "group",
    abstract: "Create, list, show, change and delete groups and their members.",
    discussion: """
      A group is a channel with members, who receive every message without entering. Commands for \
      messages and moderation take a group with --group: parley message list --group trip.

      EXAMPLES:
        parley group create trip --user ben --user cleo --invited-by ada --name Trip
        parley group invite trip --user dan
        parley group members trip
        parley group show trip --user ben
        parley group list --user ben
        parley group unread --user ben
        parley group changes --user ben --last 1h
        parley group remove trip --user dan
        parley group metadata set trip topic=launch
        parley group delete trip --yes
      """,
    subcommands: [
      ChannelVerb<GroupArgument>.Create.self, List.self, Show.self,
      ChannelVerb<GroupArgument>.Update.self,
      ChannelVerb<GroupArgument>.Delete.self, Invite.self, Remove.self, Members.self,
      Accept.self, Decline.self, Join.self, Leave.self,
      Hide.self, Unhide.self, MarkRead.self, Unread.self, Changes.self,
      ChannelVerb<GroupArgument>.Freeze.self, ChannelVerb<GroupArgument>.Unfreeze.self,
      OperatorsCommand<GroupArgument>.self, MetadataCommand<GroupArgument>.self,
      MetacounterCommand<GroupArgument>.self,
    ])
}

extension GroupCommand {
  /// Shows one group.
  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Show a group.",
      discussion: "With --user, the membership of that user is shown too.")

    @OptionGroup var group: GroupArgument

    @Option(help: ArgumentHelp("The id of a user.", valueName: "user id"))
    var user: String?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let query = user.map { [("user_id", $0)] } ?? []
      let answer = try gateway.client().call("GET", group.path, query: query)
      try output.show(answer, as: ChannelText.lines(ofChannel:))
    }
  }
}

/// Fields of a group.
struct GroupFieldOptions: ChannelFields {
  @OptionGroup var common: ChannelFieldOptions

  @Flag(
    inversion: .prefixedNo,
    help: "Let every user who knows the URL join. (default: no)")
  var `public`: Bool?

  @Option(
    help: ArgumentHelp(
      "The code that users need to join, at most 50 characters; an empty one removes it.",
      valueName: "text"))
  var accessCode: String?

  var picture: PictureFile? { common.picture }

  var body: RequestBody {
    var body = common.body
    body.set("is_public", self.public)
    body.set("access_code", accessCode)
    return body
  }
}

/// Options of a new group.
struct GroupCreationOptions: ChannelCreation {
  @OptionGroup var common: ChannelCreationOptions

  @Option(
    name: .customLong("user"),
    help: ArgumentHelp("The id of a member; repeatable.", valueName: "user id"))
  var users: [String]

  @Option(
    help: ArgumentHelp(
      "The id of the creator: a member, and the operator unless --operator is given.",
      valueName: "user id"))
  var invitedBy: String?

  @Flag(
    help: "Keep one group for exactly these users; if it exists, it is shown without a change.")
  var distinct = false

  @Flag(
    name: .customLong("super"),
    help: "Make room for many members, who are reported by their numbers only.")
  var isSuper = false

  func add(to body: inout RequestBody) {
    common.add(to: &body)
    body.set("user_ids", users)
    body.set("inviter_id", invitedBy)
    if distinct { body.set("is_distinct", true) }
    if isSuper { body.set("is_super", true) }
    // Unknown users are an error, not left out.
    body.set("strict", true)
  }
}
