internal import ArgumentParser

/// Removes an item of a channel's metadata.
struct RemoveChannelMetadata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove an item of a channel's metadata, or all.")

  @OptionGroup var channel: ChannelArgument

  @Argument(help: "The item's key.")
  var key: String?

  @Flag(help: "All items.")
  var all = false

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard all == (key == nil) else { throw ValidationError("give either a key or --all") }
  }

  func run() throws {
    let part = key.map { "/" + PercentEncoding.encode(pathPart: $0) } ?? ""
    let answer = try gateway.client().call("DELETE", "\(channel.path)/metadata\(part)")
    try output.show(answer, as: "\(key ?? "all metadata") is removed")
  }
}
