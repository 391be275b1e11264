internal import ArgumentParser

/// What a channel is given.
struct ChannelFieldOptions: ParsableArguments {
  @Option(help: "Its name.")
  var name: String?

  @Option(help: ArgumentHelp("The address of a picture.", valueName: "url"))
  var cover: String?

  @Option(help: ArgumentHelp("The application's own kind of channel.", valueName: "type"))
  var customType: String?

  @Option(help: "The application's own data, at most 16,384 bytes.")
  var data: String?

  @Option(
    name: .customLong("operator"),
    help: ArgumentHelp("An operator; may be given several times.", valueName: "user id"))
  var operators: [String] = []

  /// The members of the call.
  var body: RequestBody {
    var body = RequestBody()
    body.set("name", name)
    body.set("cover_url", cover)
    body.set("custom_type", customType)
    body.set("data", data)
    body.set("operator_ids", operators)
    return body
  }
}
