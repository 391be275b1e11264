import Testing

@testable import Thumbnails

@Suite("Command lines of the programs")
struct ProgramsTests {
  @Test("the helper program parses the command line that the server writes")
  func helper() {
    var command = HelperCommand(
      .thumbnails([.init(maxWidth: 100, maxHeight: 75), .init(maxWidth: 1, maxHeight: 2_000)]),
      programs: ThumbnailPrograms(vipsthumbnail: "/usr/bin/a=b c", ffmpeg: "/usr/bin/ffmpeg"))
    command.limits.maxPixels = 12
    command.limits.filmMemoryBytes = 34
    command.requiresWalls = true
    #expect(HelperCommand(arguments: command.arguments) == command)
    let probe = HelperCommand(.probe, programs: ThumbnailPrograms())
    #expect(HelperCommand(arguments: probe.arguments) == probe)
  }

  @Test(
    "any other command line is refused",
    arguments: [
      [], ["--box=0x1"], ["--box=1"], ["--box=1x-1"], ["--box=1x1", "file"],
      ["--memory=0", "--probe"],
      ["--probe", "--box=1x1"], ["--box=1x1x1"], ["--unknown=1", "--probe"],
    ])
  func nonsense(arguments: [String]) {
    #expect(HelperCommand(arguments: arguments) == nil)
  }

  @Test("a report is parsed line by line, and the rest is its reason")
  func report() {
    let lines: [HelperReport.Line] = [
      .made(0), .made(2), .landlock(7), .systemCallFilter, .works("x"),
    ]
    let text = lines.map(\.text).joined(separator: "\n") + "\nmade x\nbad thing\n"
    let report = HelperReport(Array(text.utf8))
    #expect(report.made == [0, 2] && report.works == ["x"])
    #expect(report.walls == ThumbnailWalls(landlock: 7, filtersCalls: true, hasNamespaces: false))
    #expect(report.reason == "made x; bad thing")
  }

  @Test("only the file's own format is decoded, from a name chosen by the server")
  func film() throws {
    let frame = ProgramCommand.frame(
      at: .afterOneSecond, of: .mov, ffmpeg: "/f", limits: ThumbnailLimits())
    let text = frame.arguments.joined(separator: " ")
    #expect(text.contains("-protocol_whitelist file,pipe -format_whitelist mov,matroska,ogg,avi"))
    #expect(text.contains("-f mov -an -sn -dn -i file:/proc/self/fd/0"))
    #expect(frame.cpuSeconds == 2)
  }

  @Test("a version is found in a program's output")
  func version() throws {
    #expect(VipsVersion(printed: "vips-8.14.1") == VipsVersion(major: 8, minor: 14))
    #expect(VipsVersion(printed: "vips 9.0\n").map { $0 > .oldest } == true)
    #expect(VipsVersion(printed: "vips-8.12.1-Tue Jan 25").map { $0 < .oldest } == true)
    #expect(VipsVersion(printed: "vips") == nil)
  }

  @Test("exit statuses and outcomes correspond", arguments: ThumbnailOutcome.allCases)
  func exitStatus(outcome: ThumbnailOutcome) {
    #expect(ThumbnailOutcome(exitStatus: outcome.exitStatus) == outcome)
  }
}

@Suite("Thumbnail mode")
struct ThumbnailModeTests {
  private func probe(_ vipsthumbnail: String?, landlock: Int, filter: Bool) -> ThumbnailProbe {
    var probe = ThumbnailProbe()
    probe.programs.vipsthumbnail = vipsthumbnail
    probe.walls = ThumbnailWalls(landlock: landlock, filtersCalls: filter, hasNamespaces: false)
    if vipsthumbnail == nil { probe.missing = ["vipsthumbnail is missing"] }
    return probe
  }

  @Test("without the program it is off, and fails when it was required")
  func programMissing() {
    let probe = probe(nil, landlock: 7, filter: true)
    #expect(probe.decision(mode: .auto, sandbox: .required) == .off("vipsthumbnail is missing"))
    #expect(probe.decision(mode: .on, sandbox: .auto) == .fail("vipsthumbnail is missing"))
    #expect(probe.decision(mode: .off, sandbox: .auto) == .off("thumbnails.mode is off"))
  }

  @Test("a required sandbox that is missing keeps the server from starting")
  func wallsMissing() {
    let probe = probe("/v", landlock: 0, filter: true)
    #expect(probe.decision(mode: .auto, sandbox: .auto) == .make)
    let reason =
      "thumbnails.sandbox is required, but there is only: no Landlock, seccomp, no bubblewrap"
    #expect(probe.decision(mode: .auto, sandbox: .required) == .fail(reason))
    #expect(
      self.probe("/v", landlock: 1, filter: true).decision(mode: .on, sandbox: .required) == .make)
  }
}
