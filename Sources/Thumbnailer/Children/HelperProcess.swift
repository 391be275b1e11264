internal import Glibc
package import Reactor
package import Thumbnails

/// A running `parley-thumbnail`, with the memory files for its output.
package final class HelperProcess {
  /// Statuses from this value on stand for a signal, as in shells and bubblewrap.
  private static let signalStatus: Int32 = 128

  private let child: ChildProcess
  private let report: MemoryFile
  private let results: [MemoryFile]
  private let boxes: [ThumbnailBox]
  private let resultBytes: Int

  /// Starts the program on a file.
  package init(
    _ command: HelperCommand, on file: ThumbnailFile, installation: HelperInstallation
  ) throws(SystemError) {
    boxes =
      switch command.task {
      case .probe: []
      case .thumbnails(let boxes): boxes
      }
    resultBytes = command.limits.resultBytes
    report = try MemoryFile("report")
    var results: [MemoryFile] = []
    for _ in boxes { results.append(try MemoryFile("thumbnail")) }
    self.results = results
    let (path, arguments) = installation.commandLine(of: command)
    // Nothing is expected on standard output.
    let descriptors = [file.descriptor, report.descriptor, report.descriptor]
    child = try ChildProcess(
      path, arguments, descriptors: descriptors + results.map(\.descriptor))
  }

  /// Readable once the program has ended.
  package var descriptor: Int32 { child.descriptor }

  /// Kills the program and all its descendants.
  package func kill() { child.kill() }

  /// Waits for the end, up to some milliseconds.
  package func wait(milliseconds: Int32) -> Bool { child.wait(milliseconds: milliseconds) }

  /// Reads the results of a program that has ended.
  package func finish() -> ThumbnailResult {
    let end = child.reap()
    let report = currentReport
    let thumbnails = boxes.indices.filter(report.made.contains).compactMap(thumbnail)
    let outcome = Self.outcome(of: end)
    guard outcome == .made else {
      return ThumbnailResult(outcome, reason: reason(end, report), thumbnails: thumbnails)
    }
    return thumbnails.count == boxes.count
      ? ThumbnailResult(.made, thumbnails: thumbnails)
      : ThumbnailResult(.failed, reason: "a result is no picture", thumbnails: thumbnails)
  }

  /// The lines written by the program so far.
  package var currentReport: HelperReport {
    HelperReport(report.contents(atMost: HelperReport.byteLimit))
  }

  private static func outcome(of end: ChildProcess.End) -> ThumbnailOutcome {
    switch end {
    case .exited(let status) where status > signalStatus: .killed
    case .exited(let status): ThumbnailOutcome(exitStatus: status) ?? .failed
    case .signaled: .killed
    }
  }

  private func reason(_ end: ChildProcess.End, _ report: HelperReport) -> String {
    if !report.reason.isEmpty { return report.reason }
    return switch end {
    case .exited(let status): "exit status \(status)"
    case .signaled(let signal): "signal \(signal)"
    }
  }

  /// Returns the thumbnail for a box, if the file is a picture that fits: a program taken over by a
  /// hostile file may write anything.
  private func thumbnail(at index: Int) -> Thumbnail? {
    var bytes = results[index].contents(atMost: resultBytes)
    guard let header = try? PictureHeader(of: &bytes), let size = header.size,
      let format = ThumbnailFormat(header.format), size.isWithin(boxes[index])
    else { return nil }
    return Thumbnail(box: boxes[index], format: format, size: size, bytes: bytes)
  }
}
