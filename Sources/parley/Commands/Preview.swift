internal import Basics
internal import ArgumentParser
internal import LinkPreview
internal import ParleyProtocol
internal import Reactor

/// Commands for link previews.
struct PreviewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "preview",
    abstract: "Detect links, extract previews and manage a gateway's previews.",
    discussion: """
      detect and extract work locally on standard input; the others call a gateway.

      EXAMPLES:
        echo 'see sendbird.com!' | parley preview detect
        curl -s https://example.com/ | parley preview extract --url https://example.com/
        parley preview fetch https://example.com/ --timeout 5s
        parley preview explain https://example.com/
        parley preview list --domain example.com
        parley preview purge --url https://example.com/
      """,
    subcommands: [
      Detect.self, Extract.self, Fetch.self, Explain.self, List.self,
      Purge.self,
    ])
}

extension PreviewCommand {
  /// Detects the link of a message.
  struct Detect: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "detect",
      abstract: "Print the URL that a message text on standard input previews.",
      discussion: "Prints nothing if the text has no link.")

    func run() throws {
      let text = try StandardInput.read(upTo: 4_194_304)
      if let url = LinkFinder.firstURL(in: String(decoding: text, as: UTF8.self)) {
        print(url.text)
      }
    }
  }
}

extension PreviewCommand {
  /// Extracts the preview of a page.
  struct Extract: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "extract",
      abstract: "Print the preview of a page on standard input as JSON, or null.",
      discussion: """
        The page is read as by the gateway's unfurler, up to --max-bytes. --explain prints the source \
        of each part, or the reason for a missing preview, to standard error.
        """)

    @Option(help: ArgumentHelp("The URL of the page after redirects.", valueName: "url"))
    var url: String

    @Option(help: ArgumentHelp("The Content-Type of the response.", valueName: "type"))
    var contentType = "text/html"

    @Option(help: ArgumentHelp("Bytes of the page to read, 1 to 67,108,864.", valueName: "bytes"))
    var maxBytes = 524_288

    @Flag(help: "Print the source of each part to standard error.")
    var explain = false

    func validate() throws {
      guard WebURL(url) != nil else {
        throw ValidationError("--url is \"\(url)\"; an absolute http or https URL is expected")
      }
      guard (1...67_108_864).contains(maxBytes) else {
        throw ValidationError("--max-bytes is \(maxBytes); 1 to 67108864 is expected")
      }
    }

    func run() throws {
      guard let page = WebURL(url) else { return }
      let body = try StandardInput.read(upTo: maxBytes)
      guard HTMLMediaType(contentType) != nil else {
        if explain {
          StandardError.write(
            "the content type \(contentType) is not HTML; text/html or application/xhtml+xml is expected"
          )
        }
        return print("null")
      }
      var extractor = OpenGraphExtractor(pageURL: page, contentType: contentType)
      _ = body.withUnsafeBufferPointer { extractor.receive($0.span) }
      let report = extractor.finish()
      if explain { Self.explain(report) }
      guard let tag = report.tag else { return print("null") }
      print(OutputOptions.shown(JSONWriter.bytes { tag.encode(into: &$0) }))
    }

    private static func explain(_ report: PageReport) {
      for origin in report.origins {
        StandardError.write(DisplayText.shortened("\(origin.member): \(origin.source)"))
      }
      StandardError.write(DisplayText.shortened("character set: \(report.characterSet)"))
      if let problem = report.problem {
        StandardError.write(DisplayText.shortened("no preview: \(problem)"))
      }
    }
  }
}

extension PreviewCommand {
  /// Fetches the preview of a URL.
  struct Fetch: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "fetch",
      abstract: "Show the preview of a URL, from the gateway's cache or fetched.",
      discussion: "Fails if the page cannot be fetched. A page may offer no preview.")

    @Argument(help: "The URL, or a link as in a message: example.com/page.")
    var url: String

    @Option(
      help: ArgumentHelp(
        "Time limit, 100ms to 30s. Default: unfurl.timeout_ms of the gateway.", valueName: "time"))
    var timeout: TimeArgument?

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
      guard let timeout else { return }
      guard (100_000_000...30_000_000_000).contains(timeout.nanoseconds) else {
        throw ValidationError("--timeout is out of range; 100ms to 30s is expected")
      }
    }

    func run() throws {
      var body = RequestBody()
      body.set("url", url)
      body.set("timeout_ms", timeout?.milliseconds)
      let answer = try gateway.client().call("POST", "/v3/parley/previews/fetch", body: body)
      try output.show(answer, as: PreviewFetchText.lines)
      if let kind = try JSONDocument(answer).root["kind"]?.string {
        throw CommandFailure.refused(
          "no preview: \(DisplayText.shortened(kind))", code: 0)
      }
    }
  }
}

extension PreviewCommand {
  /// Explains the preview of a URL.
  struct Explain: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "explain",
      abstract: "Fetch a URL by the gateway and show the source of each part of its preview.")

    @Argument(help: "The URL, or a link as in a message: example.com/page.")
    var url: String

    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let answer = try gateway.client().call(
        "GET", "/v3/parley/previews/explain", query: [("url", url)])
      try output.show(answer) { PreviewExplanationText(explanation: $0).lines }
    }
  }
}

extension PreviewCommand {
  /// Lists cached previews.
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "List the cached previews of a gateway, sorted by URL.")

    @Option(help: ArgumentHelp("Only the preview of this URL.", valueName: "url"))
    var url: String?

    @Option(
      help: ArgumentHelp("Only previews of this domain and its subdomains.", valueName: "domain"))
    var domain: String?

    @OptionGroup var page: PageOptions
    @OptionGroup var gateway: GatewayOptions
    @OptionGroup var output: OutputOptions

    func run() throws {
      let query = [("url", url), ("domain", domain)].compactMap { name, value in
        value.map { (name, $0) }
      }
      let list = PagedList(
        "/v3/parley/previews", query: query, member: "previews", whenEmpty: "no cached previews"
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
        "    valid until \(expiry)",
      ]
    }
  }
}

extension PreviewCommand {
  /// Removes cached previews.
  struct Purge: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "purge",
      abstract: "Remove cached previews, so that links are fetched again.",
      discussion: "Messages keep the previews they have.")

    @Option(help: ArgumentHelp("Remove the preview of this URL.", valueName: "url"))
    var url: String?

    @Option(
      help: ArgumentHelp("Remove previews of this domain and its subdomains.", valueName: "domain"))
    var domain: String?

    @Flag(help: "Remove all previews.")
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
        return [count == 1 ? "1 preview removed" : "\(count) previews removed"]
      }
    }
  }
}
