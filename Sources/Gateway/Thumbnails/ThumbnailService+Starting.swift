import Configuration
import Glibc
import Logging
import Reactor
import Store
import Thumbnailer
import Thumbnails

extension ThumbnailService {
  /// Checks what this machine offers, and starts the thread of thumbnails if that is enough.
  ///
  /// Waits for child processes.
  ///
  /// - Throws: `StartError` when thumbnails are required and cannot be made.
  static func start(
    _ settings: Settings, vault: FileVault, clock: DeploymentClock, logger: Logger,
    observe: @escaping Observer
  ) throws -> ThumbnailService {
    let off = { (reason: String) in
      ThumbnailService(off: reason, vault: vault, logger: logger)
    }
    let thumbnails = settings.thumbnails
    guard thumbnails.mode != .off else { return off("thumbnails.mode is off") }
    let (probe, installation) = ThumbnailProbe.run(.here)
    switch probe.decision(mode: thumbnails.mode, sandbox: thumbnails.sandbox) {
    case .fail(let reason): throw StartError("thumbnails cannot be made: \(reason)")
    case .off(let reason):
      logger.notice("thumbnails are off", metadata: ["reason": "\(reason)"])
      return off(reason)
    case .make: break
    }
    logger.info("thumbnails are on", metadata: ["walls": "\(probe.walls.summary)"])
    for line in probe.missing { logger.notice("for thumbnails: \(line)") }
    var configuration = ThumbnailerConfiguration(
      installation: installation, programs: probe.programs,
      concurrency: thumbnails.concurrency(cores: sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    configuration.capacity = thumbnails.queue
    configuration.limits = ThumbnailLimits(thumbnails)
    configuration.requiresWalls = thumbnails.sandbox == .required
    return ThumbnailService(
      try Thumbnailer(configuration),
      ThumbnailReport(walls: probe.walls.summary, missing: probe.missing),
      vault: vault, clock: clock, logger: logger, observe: observe)
  }
}

extension ThumbnailSettings {
  /// The number of files decoded at the same time: by default one per two cores, and at least two.
  ///
  /// One user never has all places, so a picture that uses its whole time limit delays only other
  /// pictures of its user.
  func concurrency(cores: Int) -> Int { concurrency > 0 ? concurrency : max(2, cores / 2) }
}

extension ThumbnailLimits {
  fileprivate init(_ settings: ThumbnailSettings) {
    self.init()
    maxPixels = settings.maxPixels
    cpuSeconds = (settings.cpuMilliseconds + 999) / 1_000
    memoryBytes = settings.memoryBytes
    filmMemoryBytes = settings.memoryBytes * 2
  }
}

extension HelperInstallation {
  /// The helper beside the running program, as in a build and in a package.
  fileprivate static var here: HelperInstallation {
    let program = Kernel.linkTarget("/proc/self/exe") ?? ""
    let directory = program.lastIndex(of: "/").map { program[..<$0] } ?? "/usr/bin"
    return HelperInstallation(helper: directory + "/parley-thumbnail")
  }
}
