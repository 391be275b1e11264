internal import ArgumentParser

/// Which counters are changed by how much.
struct MetacounterChange: ParsableArguments {
  @OptionGroup var channel: ChannelArgument

  @Argument(help: ArgumentHelp("The counters, such as likes=5.", valueName: "key=number"))
  var items: [MetacounterItem]

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard Set(items.map(\.key)).count == items.count else {
      throw ValidationError("a counter is given twice")
    }
  }

  /// Changes them in one of the ways that the Platform API has, and shows what they are then.
  func perform(mode: String) throws {
    var body = RequestBody()
    body.set("metacounter", items.map { ($0.key, $0.number) })
    body.set("mode", mode)
    body.set("upsert", true)
    let answer = try gateway.client().call("PUT", "\(channel.path)/metacounter", body: body)
    try output.show(answer, as: MetacounterText.lines)
  }
}
