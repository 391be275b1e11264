internal import ArgumentParser

/// Removes keys from a message's extra data.
struct RemoveMetaArrayKeys: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-keys", abstract: "Remove keys of a message's extra data with all texts.",
    discussion: "Keys that are not there are passed over.")

  @OptionGroup var message: MessageArgument

  @Argument(help: ArgumentHelp("The keys.", valueName: "key"))
  var keys: [String]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard !keys.contains(where: { $0.isEmpty || $0.contains(",") }) else {
      throw ValidationError("a key can't be empty or have a comma here")
    }
  }

  func run() throws {
    let answer = try gateway.client().call(
      "DELETE", "\(message.path)/sorted_metaarray",
      query: [("keys", keys.joined(separator: ","))])
    try output.show(answer, as: MetaArrayText.lines)
  }
}
