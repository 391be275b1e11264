internal import Basics
internal import ArgumentParser
internal import LoadGenerator
internal import Reactor

/// Prints a report and writes its files.
struct ReportFiles {
  private let report: LoadReport
  private let json: [UInt8]
  private let summary: String

  init(_ report: LoadReport) {
    self.report = report
    json = ReportJSON.bytes(report)
    // The notes may contain texts from the server.
    summary = SummaryText(report).lines.map { DisplayText.harmless(json: $0) + "\n" }.joined()
  }

  /// Prints the report, and writes the files if a folder is given.
  func show(json isJSON: Bool, folder: String?) throws {
    if let folder { try write(into: folder) }
    if isJSON {
      print(String(decoding: json, as: UTF8.self))
    } else {
      print(summary, terminator: "")
      if let folder { print("\nThe report is in \(folder)/report.html") }
    }
  }

  private func write(into folder: String) throws {
    let files: [(String, [UInt8])] = [
      ("report.html", Array(HTMLReport(report).text.utf8)), ("report.json", json),
      ("report.txt", Array(summary.utf8)),
    ]
    do throws(SystemError) {
      try LocalFile.makeDirectories(folder)
      for (name, bytes) in files { try LocalFile.write(bytes, to: "\(folder)/\(name)") }
    } catch {
      throw ValidationError("--report: \(folder) cannot be written to: \(error.reason)")
    }
  }
}
