import HTTP
import ParleyProtocol
import Transport

/// A request to a stream, for the shard that has the stream.
struct StreamCall: Sendable {
  enum Action: Sendable {
    case read(StreamReading)
    case post([UInt8])
    case close
  }

  let stream: ConnectionID
  let action: Action
  let reply: StreamReply
}

/// A request for the events of a stream.
struct StreamReading: Sendable {
  /// The largest padding, in bytes.
  private static let maximumPadding = 65_536

  /// The last event that the client has received; 0 for none.
  let after: UInt64
  let isPoll: Bool
  /// The bytes sent before the first event, for proxies that hold back the beginning of a response.
  let padding: Int
  let compressed: Bool

  /// - Throws: 400111 for a value that is not a number, 400113 for a padding that is too long.
  init(_ head: HTTPRequestHead) throws(ServiceError) {
    guard let query = QueryParameters(head.query) else {
      throw ServiceError(
        .characterNotAllowed, "the target's percent-encoding is broken or not UTF-8")
    }
    if let name = query.values.keys.sorted().first(where: { !Self.names.contains($0) }) {
      throw ServiceError(
        .invalidValue, "there is no parameter of this name: expected after, poll or padding",
        field: String(name.prefix(40)))
    }
    let lastID = try head.onlyValue(of: "Last-Event-ID")
    after =
      if let lastID { try Self.number(lastID, "Last-Event-ID") } else if let text = query["after"] {
        try Self.number(text, "after")
      } else {
        0
      }
    let padding = try query["padding"].map { text throws(ServiceError) in
      try Self.number(text, "padding")
    }
    guard padding ?? 0 <= Self.maximumPadding else {
      throw .outOfRange(
        "padding", Int64(clamping: padding ?? 0), 0...Int64(Self.maximumPadding))
    }
    self.padding = Int(padding ?? 0)
    switch query["poll"] {
    case nil, "0": isPoll = false
    case "1": isPoll = true
    case .some(let text):
      throw ServiceError(
        .invalidValue, "'poll' must be 0 or 1, not \(String(text.prefix(20)).debugDescription)",
        field: "poll")
    }
    compressed = head.fields.listContains("gzip", in: "Accept-Encoding")
  }

  private static let names = ["after", "poll", "padding"]

  private static func number(_ text: String, _ field: String) throws(ServiceError) -> UInt64 {
    guard let number = UInt64(text), number < .max, !text.hasPrefix("+") else {
      throw ServiceError(
        .invalidValue,
        "'\(field)' must be a number from 0, not \(String(text.prefix(20)).debugDescription)",
        field: field)
    }
    return number
  }
}

/// The request that awaits an answer, and the way to it.
struct StreamReply: Sendable {
  let exchange: Exchange.ID
  let answers: StreamAnswers
  private let path: ReturnPath
  private let shard: Int

  init(_ exchange: Exchange, _ answers: StreamAnswers, on shard: Shard) {
    self.exchange = exchange.id
    self.answers = answers
    path = shard.returnPath
    self.shard = shard.handle.index
  }

  /// Whether the request is on this shard.
  func isOn(_ shard: Shard) -> Bool { shard.handle.index == self.shard }

  /// Answers from a shard.
  func send(_ response: HTTPResponse, from shard: Shard) {
    guard isOn(shard) else { return resume { $0.transport.respond(response, to: exchange) } }
    shard.transport.respond(response, to: exchange)
  }

  /// Continues on the shard of the request.
  func resume(_ rest: @escaping ReturnPath.Rest) { path.resume(rest) }
}
