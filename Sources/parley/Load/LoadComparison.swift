internal import ArgumentParser
internal import Basics
internal import LoadGenerator
internal import Reactor

extension LoadCommand {
  /// Compares the reports of two runs.
  struct Compare: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "compare",
      abstract: "Compare the reports of two runs.",
      discussion: """
        The table has each figure of both runs and the ratio of the second to the first. Settings in \
        which the runs differ are marked.

        EXAMPLES:
          parley load compare before after
          parley load compare before/report.json after/report.json --html comparison.html
        """)

    @Argument(
      help: ArgumentHelp("The folder of a report, or its report.json.", valueName: "report"),
      completion: .file())
    var first: String

    @Argument(
      help: ArgumentHelp("The report to compare with it.", valueName: "report"),
      completion: .file())
    var second: String

    @Option(
      help: ArgumentHelp("Write the comparison to this page too.", valueName: "file"),
      completion: .file())
    var html: String?

    func run() throws {
      let comparison = RunComparison(try Self.digest(first), try Self.digest(second))
      for line in comparison.lines { print(DisplayText.harmless(json: line)) }
      guard let html else { return }
      try ReportFile.write(Array(ComparisonPage(comparison).text.utf8), to: html, for: "--html")
      print("\nThe comparison is in \(html)")
    }

    private static func digest(_ path: String) throws -> ReportDigest {
      let bytes = try ReportFile.read(path)
      do throws(ReportDigest.Fault) {
        return try ReportDigest(bytes)
      } catch {
        throw ValidationError(
          "\(path) is not a report of parley load: \(error); report.json of a run is expected")
      }
    }
  }
}
