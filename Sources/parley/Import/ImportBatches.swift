/// Gathers the messages of a file into the calls of an import: each has messages of one channel.
struct ImportBatches {
  /// The maximum number of messages of a call.
  private static let messageLimit = 100
  /// The bytes after which a call is sent; one line may go beyond.
  private static let byteLimit = 400_000
  /// The bytes that wait before all of them are sent.
  private static let waitingLimit = 32_000_000

  private struct Waiting {
    var lines: [ImportedLine] = []
    var byteCount = 0
  }

  private var waiting: [String: Waiting] = [:]
  private var byteCount = 0

  /// Adds a message.
  ///
  /// - Returns: The batches to send now.
  mutating func add(_ line: ImportedLine) -> [[ImportedLine]] {
    var batches: [[ImportedLine]] = []
    let size = line.json.count + 1
    if let full = waiting[line.channelURL], full.byteCount + size > Self.byteLimit {
      batches.append(take(line.channelURL))
    }
    waiting[line.channelURL, default: Waiting()].lines.append(line)
    waiting[line.channelURL]?.byteCount += size
    byteCount += size
    if waiting[line.channelURL]?.lines.count == Self.messageLimit {
      batches.append(take(line.channelURL))
    }
    if byteCount > Self.waitingLimit { batches += takeAll() }
    return batches
  }

  /// The batches that are left, in the order of their first lines.
  mutating func takeAll() -> [[ImportedLine]] {
    waiting.keys.sorted { first(in: $0) < first(in: $1) }.map { take($0) }
  }

  private func first(in url: String) -> Int { waiting[url]?.lines.first?.number ?? 0 }

  private mutating func take(_ url: String) -> [ImportedLine] {
    guard let taken = waiting.removeValue(forKey: url) else { return [] }
    byteCount -= taken.byteCount
    return taken.lines
  }
}
