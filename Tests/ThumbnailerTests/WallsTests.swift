import Foundation
import TestSupport
import Testing
import Thumbnailer
import Thumbnails

@Suite(
  "The sandbox around a compromised program", .serialized, .patientTimeLimit(minutes: 5),
  .onOwnThreads)
struct WallsTests {
  /// A picture that has the intruder, in the place of vipsthumbnail, make an attack.
  private static func picture(_ attack: String) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 13, 10, 0x1A, 10, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0] + Array("INTRUDER:\(attack)".utf8)
  }

  private static func attack(
    _ name: String, _ installation: HelperInstallation = Installed.found.installation,
    _ change: (inout ThumbnailLimits) -> Void = { _ in }
  ) async throws -> ThumbnailResult {
    var configuration = ThumbnailerConfiguration(
      installation: installation, programs: ThumbnailPrograms(vipsthumbnail: Installed.intruder))
    configuration.limits.wallClock = Installed.configuration.limits.wallClock
    change(&configuration.limits)
    configuration.requiresWalls = true
    let thumbnailer = try Thumbnailer(configuration)
    let result = await thumbnailer.make([.square(100)], of: picture(name))
    thumbnailer.shutdown()
    #expect(await Traces.vanish("thumbnail-intru"), "left behind by: \(name)")
    return result
  }

  private static let attacks = ["sockets": 7, "files": 15, "processes": 11, "kernel": 70]

  @Test("no attempt succeeds, with and without namespaces", arguments: attacks.keys.sorted())
  func attempts(name: String) async throws {
    for installation in [Installed.found.installation, Installed.bare] {
      let result = try await Self.attack(name, installation)
      #expect(result.outcome == .failed)
      #expect(result.reason.hasPrefix("attempts "), "\(result.reason)")
    }
  }

  @Test("without the sandbox the same attempts succeed", arguments: ["sockets", "files"])
  func control(name: String) throws {
    let workshop = try Workshop()
    let program = try SpawnedProgram(
      Installed.intruder, arguments: ["attack", name], log: workshop.path("seen"))
    #expect(try program.wait() == .exited(1))
    let seen = String(decoding: try workshop.bytes("seen"), as: UTF8.self)
    #expect(seen.contains("LEAK"))
  }

  @Test("memory use ends at its limit")
  func memory() async throws {
    let result = try await Self.attack("memory")
    #expect(result.outcome == .failed && result.reason == "attempts 1", "\(result.reason)")
  }

  @Test("a program that hangs is killed at the wall-clock limit")
  func hang() async throws {
    let result = try await Self.attack("hang") { $0.wallClock = 700 }
    #expect(result.outcome == .timedOut && result.reason == "not done within 700 ms")
  }

  @Test("a program that computes endlessly reaches its CPU time limit")
  func spin() async throws {
    let result = try await Self.attack("spin") { $0.cpuSeconds = 1 }
    #expect(result.outcome == .timedOut, "\(result)")
  }

  @Test("a program that crashes is reported as killed")
  func crash() async throws {
    #expect(try await Self.attack("crash").outcome == .killed)
  }

  @Test("a program that writes endlessly is stopped at the size limit of a thumbnail")
  func fill() async throws {
    for attack in ["fill the result", "fill the log"] {
      let result = try await Self.attack(attack)
      #expect(result.outcome == .failed && result.thumbnails.isEmpty, "\(attack): \(result)")
    }
    #expect(try await Self.attack("fill the input").reason == "attempts 0")
  }

  @Test("a program's claim of success is verified")
  func lies() async throws {
    for attack in ["lie", "silence"] {
      let result = try await Self.attack(attack)
      #expect(result.outcome == .failed && result.reason == "a result is no picture", "\(attack)")
    }
  }

  @Test("the end of the server ends its child processes")
  func shutdown() async throws {
    let configuration = ThumbnailerConfiguration(
      installation: Installed.found.installation,
      programs: ThumbnailPrograms(vipsthumbnail: Installed.intruder))
    let thumbnailer = try Thumbnailer(configuration)
    async let result = thumbnailer.make([.square(100)], of: Self.picture("hang"))
    try await Deadline.standard.wait(for: "a start") { thumbnailer.figures.running > 0 }
    thumbnailer.shutdown()
    #expect(await result.outcome == .killed)
    #expect(await thumbnailer.make([.square(1)], of: []).outcome == .refused)
    #expect(await Traces.vanish("thumbnail-intru"))
  }
}

@Suite("The probe at the start", .patientTimeLimit(minutes: 2), .onOwnThreads)
struct ProbeTests {
  @Test("finds the programs and the sandbox features of this machine")
  func everything() {
    let (probe, _) = Installed.found
    #expect(probe.programs.vipsthumbnail != nil && probe.programs.ffmpeg != nil)
    #expect(probe.walls.isSufficient, "\(probe.walls.summary)")
    #expect(probe.missing.allSatisfy { $0.contains("bubblewrap") }, "\(probe.missing)")
  }

  @Test("names the missing programs")
  func nothing() {
    let (probe, installation) = ThumbnailProbe.run(
      Installed.bare, search: ProgramSearch(directories: ["/nonexistent"]))
    #expect(
      probe.missing == [
        "bubblewrap is missing (Debian: bubblewrap)",
        "vipsthumbnail is missing (Debian: libvips-tools)",
        "ffmpeg is missing, so films get no thumbnails (Debian: ffmpeg)",
      ])
    #expect(installation.bubblewrap == nil && probe.walls.isSufficient)
  }

  @Test("the sandbox is available where only the programs are missing")
  func onlyBubblewrap() throws {
    let workshop = try Workshop()
    let bubblewrap = ProgramSearch().find("bwrap") ?? ""
    try FileManager.default.createSymbolicLink(
      atPath: workshop.path("bwrap"), withDestinationPath: bubblewrap)
    let folder = String(workshop.path("bwrap").dropLast("/bwrap".count))
    let (probe, _) = ThumbnailProbe.run(
      Installed.bare, search: ProgramSearch(directories: [folder]))
    #expect(probe.walls.hasNamespaces == Installed.found.probe.walls.hasNamespaces)
    #expect(probe.walls.isSufficient && probe.missing.count >= 2)
  }

  @Test("a missing helper program is reported as well")
  func noHelper() {
    let (probe, _) = ThumbnailProbe.run(HelperInstallation(helper: "/nonexistent/helper"))
    #expect(probe.programs == ThumbnailPrograms())
    #expect(probe.missing.last?.hasPrefix("parley-thumbnail does not work: ") == true)
  }
}
