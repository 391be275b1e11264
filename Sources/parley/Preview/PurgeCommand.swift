internal import ArgumentParser
internal import ParleyProtocol

/// Makes a gateway forget previews.
struct PurgeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "purge",
    abstract: "Make a gateway forget previews, so that they are fetched anew when next seen.",
    discussion: "Messages that carry a preview already keep it.")

  @Option(help: ArgumentHelp("Forget this page.", valueName: "url"))
  var url: String?

  @Option(help: ArgumentHelp("Forget this domain and those below it.", valueName: "domain"))
  var domain: String?

  @Flag(help: "Forget everything.")
  var all = false

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func validate() throws {
    let given = [url != nil, domain != nil, all].count { $0 }
    guard given == 1 else {
      throw ValidationError("give one of --url, --domain and --all")
    }
  }

  func run() throws {
    let parameters = [("url", url), ("domain", domain), ("all", all ? "true" : nil)]
    let answer = try gateway.client().call(
      "DELETE", "/v3/parley/previews",
      query: parameters.compactMap { name, value in value.map { (name, $0) } })
    try output.show(answer) { node in
      let count = node["purged"]?.integer ?? 0
      return [count == 1 ? "1 preview forgotten" : "\(count) previews forgotten"]
    }
  }
}
