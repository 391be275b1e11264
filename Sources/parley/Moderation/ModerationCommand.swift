internal import ArgumentParser

/// Bans and mutes.
struct ModerationCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moderation",
    abstract: "Ban and mute users in a channel.",
    discussion: """
      EXAMPLES:
        parley moderation mute lobby jeff --seconds 600 --reason "too loud"
        parley moderation ban lobby jeff
        parley moderation update-ban lobby jeff --seconds 86400
        parley moderation show lobby jeff
        parley moderation list lobby mute
      """,
    subcommands: [
      BanUser.self, UpdateBan.self, UnbanUser.self, MuteUser.self, UnmuteUser.self,
      ListRestrictions.self, ShowRestriction.self,
    ])
}
