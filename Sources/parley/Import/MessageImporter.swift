internal import Basics
internal import Curl
internal import HTTP
internal import ParleyProtocol

/// Sends the messages of a file to a gateway.
///
/// A refusal that names a message leaves that one out, and the others of its call are sent again.
struct MessageImporter {
  struct Options {
    var createsUsers = false
    var createsChannels = false
    /// `update_read_ts` or `rewind_read_ts`; `nil` to leave read positions unchanged.
    var readPositions: String?
  }

  private let client: PlatformClient
  private let options: Options
  private(set) var sentCount = 0

  init(_ client: PlatformClient, _ options: Options) {
    self.client = client
    self.options = options
  }

  /// Sends messages of one channel.
  ///
  /// - Parameter report: Receives the number of a line that was refused, and the reason.
  /// - Throws: ``CommandFailure`` if the gateway cannot be reached or refuses all calls, and errors of `report`.
  mutating func send(
    _ batch: [ImportedLine], reporting report: (Int, String) throws -> Void
  ) throws {
    var lines = batch
    var created: Set<String> = []
    while let first = lines.first {
      let response = try client.exchangePatiently(
        "POST", "/v3/migration/\(PercentEncoding.encode(first.channelURL))", body(lines))
      guard response.status != 200 else {
        sentCount += lines.count
        return
      }
      var failure = client.failure(of: response)
      guard case .refused(let reason, let code) = failure, response.status == 400 else {
        throw failure
      }
      let index = Self.index(in: reason).flatMap { lines.indices.contains($0) ? $0 : nil }
      do {
        if code == CommandFailure.notFound, try create(lines, index, &created) { continue }
      } catch let obstacle as Obstacle {
        failure = obstacle.failure
      }
      guard let index else {
        // About the channel, not about one of its messages.
        for line in lines { try report(line.number, "\(failure)") }
        return
      }
      try report(lines[index].number, "\(failure)")
      lines.remove(at: index)
    }
  }

  /// Creates the author of a message, or the channel, unless it was created before.
  ///
  /// - Parameter index: The message whose author is missing; `nil` if the channel is.
  private func create(
    _ lines: [ImportedLine], _ index: Int?, _ created: inout Set<String>
  ) throws -> Bool {
    guard let index else {
      let line = lines[0]
      guard options.createsChannels, created.insert("").inserted else { return false }
      var body = RequestBody()
      body.set("channel_url", line.channelURL)
      let kind = lines.lazy.compactMap(\.channelKind).first ?? .open
      if kind == .group {
        for line in lines { _ = try createAuthor(of: line, &created) }
        body.set("user_ids", Set(lines.compactMap(\.userID)).sorted())
      }
      return try make("/v3/\(kind.rawValue)", body)
    }
    return try createAuthor(of: lines[index], &created)
  }

  private func createAuthor(
    of line: ImportedLine, _ created: inout Set<String>
  ) throws -> Bool {
    guard options.createsUsers, let id = line.userID, created.insert(id).inserted else {
      return false
    }
    var body = RequestBody()
    body.set("user_id", id)
    body.set("nickname", line.nickname)
    body.set("profile_url", "")
    return try make("/v3/users", body)
  }

  /// - Returns: True: the object exists now.
  /// - Throws: ``Obstacle`` if it was refused.
  private func make(_ path: String, _ body: RequestBody) throws -> Bool {
    let response = try client.exchangePatiently("POST", path, body)
    guard response.status != 200 else { return true }
    let failure = client.failure(of: response)
    guard case .refused(_, let code) = failure, response.status == 400 else { throw failure }
    guard code == Self.exists else { throw Obstacle(failure: failure) }
    return true
  }

  /// The refusal of an author or a channel that was to be created.
  private struct Obstacle: Error {
    let failure: CommandFailure
  }

  private static let exists = 400_202

  private func body(_ lines: [ImportedLine]) -> RequestBody {
    var body = RequestBody()
    body.set("messages", raw: lines.map(\.json))
    if let name = options.readPositions { body.set(name, true) }
    return body
  }

  /// The index of the message that a refusal names, as in `'messages[3].timestamp'`.
  static func index(in reason: String) -> Int? {
    guard let start = reason.firstRange(of: "'messages[") else { return nil }
    return Int(reason[start.upperBound...].prefix { $0.isASCII && $0.isNumber })
  }
}
