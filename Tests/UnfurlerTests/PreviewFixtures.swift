import Foundation
import LinkPreview
import Logging
import ParleyProtocol
import Synchronization
import Testing

@testable import Unfurler

/// A clock that stands still until it is told to move.
final class ManualClock: Sendable {
  private let time = Mutex<Int64>(0)

  var read: @Sendable () -> Int64 { { self.time.withLock { $0 } } }
  func advance(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// What the tests of the preview cache are made of.
enum Previews {
  static let full = OpenGraphTag(
    title: "T", url: "https://a/", description: "D",
    image: OpenGraphImage(
      url: "https://a/i", secureURL: "https://a/s", type: "image/png", width: 3, height: 4,
      alt: "A"))

  static func link(_ path: String, host: String = "example.com") throws -> Link {
    try #require(Link("https://\(host)/\(path)"))
  }

  /// A tag of about `byteCount` bytes.
  static func large(_ byteCount: Int) -> OpenGraphTag {
    OpenGraphTag(title: "T", description: String(repeating: "x", count: byteCount))
  }

  /// Runs `body` with a new directory that is gone afterwards.
  static func withDirectory<Result>(
    _ body: (String) async throws -> Result
  ) async throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    return try await body(directory.path)
  }

  /// The bytes of a cache's file in `directory`, with all that lies beside it.
  static func diskBytes(_ directory: String) throws -> Int {
    let names = ["", "-wal"].map { "\(directory)/\(PreviewCache.fileName)\($0)" }
    return try names.reduce(0) { sum, name in
      guard FileManager.default.fileExists(atPath: name) else { return sum }
      return sum
        + ((try FileManager.default.attributesOfItem(atPath: name)[.size] as? Int) ?? 0)
    }
  }
}

extension UnfurlReport {
  static func found(_ tag: OpenGraphTag, _ freshness: Freshness = .unspecified) -> UnfurlReport {
    UnfurlReport(.success(tag), freshness: freshness)
  }

  static func failed(_ reason: String) -> UnfurlReport {
    UnfurlReport(.failure(.failed(reason)))
  }

  static let empty = UnfurlReport(.success(nil))
}

extension PreviewCache {
  /// A cache that says nothing.
  convenience init(
    _ directory: String?, _ clock: ManualClock, _ limits: Limits = Limits(),
    log: (any LogHandler)? = nil
  ) {
    let handler: any LogHandler = log ?? SwiftLogNoOpLogHandler()
    self.init(
      directory: directory, limits: limits, logger: Logger(label: "test") { _ in handler },
      now: clock.read)
  }

  /// Returns when all that was asked of the file has been done.
  func settle() { queue.sync { writeOut() } }

  func loaded(_ link: Link) async -> CacheHit? {
    await withCheckedContinuation { continuation in
      load(link) { continuation.resume(returning: $0) }
    }
  }

  func page(
    _ selection: PreviewSelection = .all, after cursor: String? = nil, limit: Int = 100
  ) async -> PreviewPage {
    await withCheckedContinuation { continuation in
      entries(selection, after: cursor, limit: limit) { continuation.resume(returning: $0) }
    }
  }

  func purged(_ selection: PreviewSelection) async -> Int {
    await withCheckedContinuation { continuation in
      purge(selection) { continuation.resume(returning: $0) }
    }
  }
}

extension PreviewService {
  func lookUp(_ link: Link) -> LinkKnowledge { lookUp(link, for: .operation) }

  func request(_ link: Link, completion: @escaping @Sendable (OpenGraphTag?) -> Void) {
    request(link, for: .operation, completion: completion)
  }
}

/// Remembers what was logged.
struct LogRecorder: LogHandler {
  private final class Lines: Sendable {
    let texts = Mutex<[String]>([])
  }

  private let lines = Lines()
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.debug

  var texts: [String] { lines.texts.withLock { $0 } }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    lines.texts.withLock { $0.append("\(event.level): \(event.message)") }
  }
}
