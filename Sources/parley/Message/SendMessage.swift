internal import ArgumentParser

/// Sends on behalf of a user.
struct SendMessage: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send", abstract: "Send a message on behalf of a user.",
    discussion: """
      The user need not be in the channel, and neither freezing, muting nor flood protection holds \
      it back. A text of - is read from standard input.
      """)

  @OptionGroup var channel: ChannelArgument

  @Argument(help: "What is said, 1 to 5,000 characters.")
  var text: String

  @Option(help: ArgumentHelp("Who says it.", valueName: "user id"))
  var user: String

  @Option(help: ArgumentHelp("The application's own kind of message.", valueName: "type"))
  var customType: String?

  @Option(help: "The application's own data, at most 16,384 bytes.")
  var data: String?

  @Option(help: ArgumentHelp("Who is mentioned; several times.", valueName: "user id"))
  var mention: [String] = []

  @Option(
    help: ArgumentHelp("A name for this sending: repeated, it sends nothing.", valueName: "text"))
  var dedupID: String?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    var body = RequestBody()
    body.set("message_type", "MESG")
    body.set("user_id", user)
    body.set("message", try StandardInput.text(text))
    body.set("custom_type", customType)
    body.set("data", data)
    body.set("mentioned_user_ids", mention)
    body.set("dedup_id", dedupID)
    let answer = try gateway.client().call("POST", "\(channel.path)/messages", body: body)
    try output.show(answer) { [MessageText.line(ofMessage: $0)] }
  }
}
