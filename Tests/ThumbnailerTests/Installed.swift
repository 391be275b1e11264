import Foundation
import Synchronization
import TestSupport
import Thumbnailer
import Thumbnails

/// The programs that these tests run.
enum Installed {
  /// The folder of the tests, where the programs of the package are built as well.
  private static let folder =
    URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()

  static let helper = folder.appendingPathComponent("parley-thumbnail").path
  static let intruder = folder.appendingPathComponent("thumbnail-intruder").path

  /// The folder of Swift's own libraries, which a debug build needs.
  static let libraries: [String] = {
    let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
    guard let line = maps.split(separator: "\n").first(where: { $0.hasSuffix("/libswiftCore.so") }),
      let start = line.firstIndex(of: "/")
    else { return [] }
    return [URL(fileURLWithPath: String(line[start...])).deletingLastPathComponent().path]
  }()

  static let found = ThumbnailProbe.run(HelperInstallation(helper: helper, libraries: libraries))

  /// The same without namespaces, as in a container that forbids them.
  static let bare = HelperInstallation(helper: helper, libraries: libraries)

  static var configuration: ThumbnailerConfiguration {
    var configuration = ThumbnailerConfiguration(
      installation: found.installation, programs: found.probe.programs, concurrency: 2)
    // A busy machine is no reason to fail; processor time stays limited.
    configuration.limits.wallClock = Duration.seconds(60).patientMilliseconds
    return configuration
  }

  /// One for all tests that ask for nothing special.
  static let thumbnailer = Result { try Thumbnailer(configuration) }
}

/// Bytes in memory, as those of an encrypted file are.
struct MemorySource: ThumbnailSource {
  let bytes: [UInt8]

  func open(_ completion: (Result<ThumbnailFile, any Error>) -> Void) {
    completion(
      Result {
        let memory = try MemoryFile("test")
        try memory.append(bytes)
        return try ThumbnailFile(memory)
      })
  }
}

extension Thumbnailer {
  private static let lastName = Atomic(0)

  func make(_ boxes: [ThumbnailBox], of bytes: [UInt8]) async -> ThumbnailResult {
    await make(boxes, from: MemorySource(bytes: bytes))
  }

  func make(_ boxes: [ThumbnailBox], from source: any ThumbnailSource) async -> ThumbnailResult {
    let name = Self.lastName.wrappingAdd(1, ordering: .relaxed).newValue
    return await withCheckedContinuation { continuation in
      make(boxes, of: "\(name)", for: .operation, from: source) {
        continuation.resume(returning: $0)
      }
    }
  }
}

extension ThumbnailBox {
  static func square(_ side: Int) -> ThumbnailBox { .init(maxWidth: side, maxHeight: side) }
}

/// Makes pictures and films with the very programs that are tested, in a folder of its own.
final class Workshop {
  struct Failure: Error {
    let words: [String]
    let end: SpawnedProgram.End
  }

  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: path(name))))
  }

  func write(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  /// Runs a program; words that begin with `@` are names in the folder.
  @discardableResult
  func run(_ program: String, _ words: [String]) throws -> String {
    let words = words.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 }
    let process = try SpawnedProgram("/usr/bin/" + program, arguments: words, log: path("log"))
    let output = try process.readToEnd()
    let end = try process.wait()
    guard end == .exited(0) else { throw Failure(words: [program] + words, end: end) }
    return String(decoding: output, as: UTF8.self)
  }

  func vips(_ words: String...) throws { try run("vips", words) }

  func ffmpeg(_ words: String...) throws {
    try run("ffmpeg", ["-nostdin", "-v", "error"] + words)
  }

  /// A picture with noise, so that it has some length.
  func noise(_ width: Int, _ height: Int, _ name: String) throws -> [UInt8] {
    try vips("gaussnoise", "@noise.v", "\(width)", "\(height)", "--mean", "128", "--sigma", "40")
    try vips("cast", "@noise.v", "@bytes.v", "uchar")
    try vips("bandjoin", "\(path("bytes.v")) \(path("bytes.v")) \(path("bytes.v"))", "@rgb.v")
    try vips("copy", "@rgb.v", "@srgb.v", "--interpretation", "srgb")
    try vips("copy", "@srgb.v", "@" + name)
    let bare = name.split(separator: "[").first.map(String.init) ?? name
    return try bytes(bare)
  }

  /// The colour of one pixel.
  func pixel(of picture: [UInt8], _ x: Int, _ y: Int) throws -> [Double] {
    try write(picture, "seen")
    return try run("vips", ["getpoint", "@seen", "\(x)", "\(y)"])
      .split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
  }
}
