internal import ArgumentParser
internal import Foundation
internal import LoadGenerator

/// A report in all its forms: printed, and as files.
struct ReportFiles {
  private let report: LoadReport
  private let json: [UInt8]
  private let summary: String

  init(_ report: LoadReport) {
    self.report = report
    json = ReportJSON.bytes(report)
    // Texts from the server may be among the notes.
    summary = SummaryText(report).lines.map { OutputOptions.harmless($0) + "\n" }.joined()
  }

  /// Prints it, and writes the files if a folder is named.
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
    let files: [(String, Data)] = [
      ("report.html", Data(HTMLReport(report).text.utf8)), ("report.json", Data(json)),
      ("report.txt", Data(summary.utf8)),
    ]
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true)
      for (name, data) in files {
        try data.write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
      }
    } catch {
      throw ValidationError(
        "--report: \(folder) cannot be written to: \(error.localizedDescription)")
    }
  }
}
