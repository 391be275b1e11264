internal import ArgumentParser

/// Which message is meant.
struct MessageArgument: ParsableArguments {
  @OptionGroup var channel: ChannelArgument

  @Argument(help: ArgumentHelp("The message's number.", valueName: "message id"))
  var id: Int64

  /// Its place in the Platform API.
  var path: String { "\(channel.path)/messages/\(id)" }
}
