internal import Foundation
internal import Reactor
internal import Synchronization
internal import Thumbnailer
internal import Thumbnails

/// Compares three sizes of a photograph behind all walls with three runs of `vipsthumbnail` alone, in
/// rounds that alternate.
@main
struct ThumbnailCost {
  private static let boxes = [100, 200, 400].map { ThumbnailBox(maxWidth: $0, maxHeight: $0) }
  private static let mostAllowed = 1.3

  static func main() throws {
    guard CommandLine.arguments.count >= 3, let rounds = Int(CommandLine.arguments[2]) else {
      print("usage: thumbnail-cost PARLEY-THUMBNAIL ROUNDS [LIBRARIES-OF-THE-HELPER]")
      exit(EX_USAGE)
    }
    let libraries = Array(CommandLine.arguments.dropFirst(3))
    let (probe, installation) = ThumbnailProbe.run(
      HelperInstallation(helper: CommandLine.arguments[1], libraries: libraries))
    guard let vipsthumbnail = probe.programs.vipsthumbnail else {
      print(probe.missing.joined(separator: "\n"))
      exit(EX_UNAVAILABLE)
    }
    print("walls: \(probe.walls.summary)")
    let photo = try Photo()
    let thumbnailer = try Thumbnailer(
      ThumbnailerConfiguration(installation: installation, programs: probe.programs))
    let source = PlainFileSource(path: photo.path)
    var walled: [Double] = []
    var bare: [Double] = []
    for round in 0...rounds {
      let first = try seconds { try makeWalled(thumbnailer, source, "\(round)") }
      let second = try seconds { try makeBare(vipsthumbnail, photo) }
      // The first round warms the caches.
      guard round > 0 else { continue }
      walled.append(first)
      bare.append(second)
    }
    thumbnailer.shutdown()
    report(median(walled), median(bare))
  }

  private static func report(_ walled: Double, _ bare: Double) {
    let ratio = walled / bare
    print("behind walls \(Int(walled * 1000)) ms, bare \(Int(bare * 1000)) ms (medians)")
    print("ratio \(Double(Int(ratio * 100)) / 100), allowed \(mostAllowed)")
    exit(ratio <= mostAllowed ? EXIT_SUCCESS : EXIT_FAILURE)
  }

  private static func makeWalled(
    _ thumbnailer: Thumbnailer, _ source: PlainFileSource, _ name: String
  ) throws {
    let done = DispatchSemaphore(value: 0)
    let outcome = Mutex<ThumbnailResult?>(nil)
    thumbnailer.make(boxes, of: name, for: .operation, from: source) { result in
      outcome.withLock { $0 = result }
      done.signal()
    }
    done.wait()
    let result = outcome.withLock { $0 }
    guard result?.outcome == .made else { throw Failure(reason: result?.reason ?? "") }
  }

  private static func makeBare(_ vipsthumbnail: String, _ photo: Photo) throws {
    for box in boxes {
      try Photo.run(
        vipsthumbnail,
        [
          photo.path, "--size", "\(box)>", "--export-profile", "srgb", "--output",
          photo.path + "-\(box).jpg[Q=80,strip]",
        ])
    }
  }

  private static func seconds(_ body: () throws -> Void) rethrows -> Double {
    let start = SystemClock.monotonicNanoseconds
    try body()
    return Double(SystemClock.monotonicNanoseconds - start) / 1e9
  }

  private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

struct Failure: Error {
  let reason: String
}

/// A photograph of 12 megapixels, made of noise.
final class Photo {
  private let folder: URL

  var path: String { folder.appendingPathComponent("photo.jpg").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let noise = folder.appendingPathComponent("noise.v").path
    let colours = folder.appendingPathComponent("colours.v").path
    let vips = "/usr/bin/vips"
    try Self.run(
      vips, ["gaussnoise", noise, "4000", "3000", "--mean", "128", "--sigma", "30"])
    try Self.run(vips, ["bandjoin", "\(noise) \(noise) \(noise)", colours])
    try Self.run(vips, ["cast", colours, path + "[Q=85]", "uchar"])
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static func run(_ program: String, _ arguments: [String]) throws {
    let process = try Process.run(URL(fileURLWithPath: program), arguments: arguments)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(reason: program) }
  }
}
