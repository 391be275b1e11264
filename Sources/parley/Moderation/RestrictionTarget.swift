internal import Bytes
internal import HTTP1
internal import ArgumentParser

/// Who in which channel.
struct RestrictionTarget: ParsableArguments {
  @OptionGroup var channel: ChannelArgument

  @Argument(help: ArgumentHelp("The user.", valueName: "user id"))
  var user: String

  /// The place of a user's restriction of some kind in the Platform API.
  func path(_ kind: String) -> String {
    "\(channel.path)/\(kind)/\(PercentEncoding.encode(pathPart: user))"
  }
}
