internal import Reactor
package import Thumbnails

extension ThumbnailProbe {
  /// The time limit of a self-test, in milliseconds.
  private static let patience: Int32 = 10_000

  /// Determines which walls can be set up on this machine, and which programs run behind them.
  ///
  /// Waits for child processes, so it must only be used at the start of the server.
  ///
  /// - Parameter installation: The location of the program.
  /// - Returns: The findings, and the installation to use: with bubblewrap if it works here.
  package static func run(
    _ installation: HelperInstallation, search: ProgramSearch = ProgramSearch()
  ) -> (probe: ThumbnailProbe, installation: HelperInstallation) {
    var probe = ThumbnailProbe()
    probe.programs = ThumbnailPrograms(
      vipsthumbnail: search.find("vipsthumbnail"), ffmpeg: search.find("ffmpeg"))
    var chosen = installation
    chosen.bubblewrap = search.find("bwrap")
    if chosen.bubblewrap != nil {
      let report = report(on: probe.programs, chosen)
      guard !report.works.contains(HelperReport.helper) else {
        probe.take(report)
        probe.walls.hasNamespaces = true
        return (probe, chosen)
      }
      probe.missing.append("bubblewrap does not work here: \(report.reason)")
      chosen.bubblewrap = nil
    } else {
      probe.missing.append("bubblewrap is missing (Debian: bubblewrap)")
    }
    probe.take(Self.report(on: probe.programs, chosen))
    return (probe, chosen)
  }

  private mutating func take(_ report: HelperReport) {
    guard report.works.contains(HelperReport.helper) else {
      programs = ThumbnailPrograms()
      missing.append("parley-thumbnail does not work: \(report.reason)")
      return
    }
    walls = report.walls
    if walls.landlock == 0 { missing.append("the kernel offers no Landlock") }
    if !walls.filtersCalls { missing.append("the kernel offers no filter of system calls") }
    if programs.vipsthumbnail == nil {
      missing.append("vipsthumbnail is missing (Debian: libvips-tools)")
    } else if !report.works.contains("vipsthumbnail") {
      programs.vipsthumbnail = nil
      missing.append("vipsthumbnail does not work: \(report.reason)")
    }
    if programs.ffmpeg == nil {
      missing.append("ffmpeg is missing, so films get no thumbnails (Debian: ffmpeg)")
    } else if !report.works.contains("ffmpeg") {
      programs.ffmpeg = nil
      missing.append("ffmpeg does not work: \(report.reason)")
    }
  }

  private static func report(
    on programs: ThumbnailPrograms, _ installation: HelperInstallation
  ) -> HelperReport {
    do throws(SystemError) {
      let nothing = try ThumbnailFile(try MemoryFile("nothing"))
      let helper = try HelperProcess(
        HelperCommand(.probe, programs: programs), on: nothing, installation: installation)
      if !helper.wait(milliseconds: patience) { helper.kill() }
      _ = helper.finish()
      return helper.currentReport
    } catch {
      return HelperReport(Array("\(error)".utf8))
    }
  }
}
