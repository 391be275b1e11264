internal import ArgumentParser
internal import ParleyProtocol

/// Shows what a gateway's cache of previews holds.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the previews that a gateway remembers, by their URLs.")

  @Option(help: ArgumentHelp("Only this page.", valueName: "url"))
  var url: String?

  @Option(help: ArgumentHelp("Only this domain and those below it.", valueName: "domain"))
  var domain: String?

  @Option(help: ArgumentHelp("How many to show at most, 1 to 100.", valueName: "count"))
  var limit = 20

  @Option(help: ArgumentHelp("Where the list before ended.", valueName: "token"))
  var token: String?

  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let parameters = [("url", url), ("domain", domain), ("token", token)]
    let query = parameters.compactMap { name, value in value.map { (name, $0) } }
    let answer = try gateway.client().call(
      "GET", "/v3/parley/previews", query: query + [("limit", String(limit))])
    try output.show(answer) { Self.lines(ofPage: $0) }
  }

  private static func lines(ofPage page: JSONNode) -> [String] {
    var lines: [String] = []
    if let previews = page["previews"] {
      for entry in previews.elements { lines += Self.lines(ofEntry: entry) }
    }
    if lines.isEmpty { lines = ["nothing is remembered"] }
    if let next = page["next"]?.string, !next.isEmpty {
      lines.append("more: --token \(ShellWord.quote(next))")
    }
    return lines
  }

  private static func lines(ofEntry entry: JSONNode) -> [String] {
    let title = entry["og_tag"]?["og:title"]?.string
    let text = title ?? "no preview: \(entry["problem"]?.string ?? "")"
    let expiry = entry["expires_at"]?.integer.map(UnixTime.text) ?? "?"
    return [
      PlainLine.clean(entry["url"]?.string ?? "?"), "    \(PlainLine.clean(text))",
      "    good until \(expiry)",
    ]
  }
}
