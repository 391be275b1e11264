internal import ArgumentParser
internal import ParleyProtocol

/// Asks a gateway why a link has the preview that it has, or none.
struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain",
    abstract: "Have a gateway look a URL up anew, and show what was found where, or why nothing.")

  @Argument(help: "The URL, or what a message would say: example.com/page.")
  var url: String

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let answer = try gateway.client().call(
      "GET", "/v3/parley/previews/explain", query: [("url", url)])
    try output.show(answer) { PreviewExplanationText(explanation: $0).lines }
  }
}
