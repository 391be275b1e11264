internal import ArgumentParser
internal import Bytes
internal import ParleyProtocol

/// Shows what a gateway's cache of previews holds.
struct ListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the previews that a gateway remembers, by their URLs.")

  @Option(help: ArgumentHelp("Only this page.", valueName: "url"))
  var url: String?

  @Option(help: ArgumentHelp("Only this domain and those below it.", valueName: "domain"))
  var domain: String?

  @OptionGroup var page: PageOptions
  @OptionGroup var gateway: GatewayOptions
  @OptionGroup var output: OutputOptions

  func run() throws {
    let query = [("url", url), ("domain", domain)].compactMap { name, value in
      value.map { (name, $0) }
    }
    let list = PagedList(
      "/v3/parley/previews", query: query, member: "previews", whenEmpty: "nothing is remembered"
    ) {
      $0.flatMap(Self.lines(ofEntry:))
    }
    try page.show(list, gateway, output)
  }

  private static func lines(ofEntry entry: JSONNode) -> [String] {
    let title = entry["og_tag"]?["og:title"]?.string
    let text = title ?? "no preview: \(entry["problem"]?.string ?? "")"
    let expiry = entry["expires_at"]?.integer.map(UnixTime.text) ?? "?"
    return [
      DisplayText.shortened(entry["url"]?.string ?? "?"), "    \(DisplayText.shortened(text))",
      "    good until \(expiry)",
    ]
  }
}
