internal import ArgumentParser
internal import Bytes
internal import LinkPreview
internal import ParleyProtocol

/// Reads a page.
struct ExtractCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "extract",
    abstract: "Read a page from standard input and print its preview as JSON, or null.",
    discussion: """
      The page is read as the gateway's unfurler would, no further than --max-bytes. Where each part \
      was found, or why there is no preview, goes to standard error with --explain.
      """)

  @Option(help: ArgumentHelp("The page's address, after redirects.", valueName: "url"))
  var url: String

  @Option(help: ArgumentHelp("The Content-Type that it came with.", valueName: "type"))
  var contentType = "text/html"

  @Option(help: ArgumentHelp("How much of it is read.", valueName: "bytes"))
  var maxBytes = 524_288

  @Flag(help: "Say on standard error where each part was found.")
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
      if explain { StandardError.write("the content type \(contentType) is not a page's") }
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
