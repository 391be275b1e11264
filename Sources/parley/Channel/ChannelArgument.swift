internal import Bytes
internal import HTTP1
internal import ArgumentParser

/// Which channel is meant.
struct ChannelArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The channel's URL, such as lobby.", valueName: "channel"))
  var url: String

  func validate() throws {
    guard !url.isEmpty else { throw ValidationError("the channel's URL is empty") }
  }

  /// Its place in the Platform API.
  var path: String { "/v3/open_channels/\(PercentEncoding.encode(pathPart: url))" }
}
