internal import ArgumentParser

/// What has metadata: a channel or a user, as the command line names it.
protocol MetadataOwner: ParsableArguments {
  /// What it is called.
  static var noun: String { get }
  /// Its place in the Platform API.
  var path: String { get }
}

extension ChannelArgument: MetadataOwner {
  static var noun: String { "channel" }
}

extension UserArgument: MetadataOwner {
  static var noun: String { "user" }
}
