internal import ArgumentParser

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
      CreateUser.self, ListUsers.self, ShowUser.self, UpdateUser.self, DeactivateUser.self,
      ReactivateUser.self, DeleteUser.self, UserTokenCommand.self,
      MetadataCommand<UserArgument>.self,
    ])
}
