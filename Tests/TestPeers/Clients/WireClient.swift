package import ParleyProtocol
package import TestSupport

/// A client of the gateway: requests, replies and events, each waited for with a deadline.
///
/// Used by one thread at a time.
package final class WireClient {
  /// An event, with its place among all that came.
  package struct Event: Sendable {
    package let method: String
    package let params: JSONNode?
    /// Counts replies and events together, from 0.
    package let ordinal: Int

    /// The position in the channel's durable events, where the event has one.
    package var seq: Int64? { params?["seq"]?.integer }
    /// The id of the message that it is about.
    package var messageID: Int64? {
      params?["message"]?["message_id"]?.integer ?? params?["message_id"]?.integer
    }
  }

  /// A reply, with its place among all that came.
  package struct Reply: Sendable {
    package let result: Result<JSONNode, ServiceError>
    package let ordinal: Int
  }

  /// The connection below.
  package let connection: WebSocketClient
  /// Events that came and that nobody has taken.
  package private(set) var events: [Event] = []
  /// How the connection was closed, once that was read.
  package private(set) var closeCode: UInt16?
  private var replies: [String: Reply] = [:]
  private var requestCount: Int64 = 0
  private var arrivalCount = 0

  /// Speaks over an open connection.
  package init(_ connection: WebSocketClient) {
    self.connection = connection
  }

  /// Sends a request without waiting for its reply.
  @discardableResult
  package func request(
    _ method: String, _ params: (inout JSONWriter) -> Void = { _ in }
  ) throws -> RPCIdentifier {
    requestCount += 1
    let id = RPCIdentifier(requestCount)
    try connection.send(RPCRequest.encoded(id: id, method: method, params))
    return id
  }

  /// Waits for the reply to a request.
  package func reply(to id: RPCIdentifier, _ deadline: Deadline = .standard) throws -> Reply {
    while true {
      if let reply = replies.removeValue(forKey: id.json) { return reply }
      try receive("the reply to request \(id.json)", deadline)
    }
  }

  /// Sends a request and waits for its result.
  ///
  /// - Throws: The `ServiceError` that it was answered with.
  @discardableResult
  package func call(
    _ method: String, _ params: (inout JSONWriter) -> Void = { _ in }
  ) throws -> JSONNode {
    try reply(to: try request(method, params)).result.get()
  }

  /// Sends a request and waits for the error that it is answered with.
  package func refusal(
    _ method: String, _ params: (inout JSONWriter) -> Void = { _ in }
  ) throws -> ServiceError {
    switch try reply(to: try request(method, params)).result {
    case .failure(let error): return error
    case .success(let result):
      throw TestFailure("\(method) succeeded: \(String(decoding: result.raw, as: UTF8.self))")
    }
  }

  /// Waits for the next event that passes, and takes it; those before it stay.
  package func event(
    _ method: String, _ deadline: Deadline = .standard,
    where passes: (Event) -> Bool = { _ in true }
  ) throws -> Event {
    var seen = 0
    while true {
      if let place = events[seen...].firstIndex(where: { $0.method == method && passes($0) }) {
        return events.remove(at: place)
      }
      seen = events.count
      try receive(method, deadline)
    }
  }

  /// Waits until more than `count` events have come, and leaves them all.
  package func awaitEvents(moreThan count: Int, _ deadline: Deadline = .standard) throws {
    while events.count <= count { try receive("more than \(count) events", deadline) }
  }

  /// Takes all events that came before one that passes, and that one.
  package func events(
    through method: String, _ deadline: Deadline = .standard,
    where passes: (Event) -> Bool = { _ in true }
  ) throws -> [Event] {
    let last = try event(method, deadline, where: passes)
    let before = events.filter { $0.ordinal < last.ordinal }
    events.removeAll { $0.ordinal < last.ordinal }
    return before + [last]
  }

  /// Reads on until the connection is closed.
  ///
  /// - Returns: The close code; 1006 without a closing handshake.
  package func waitForClose(_ deadline: Deadline = .standard) throws -> UInt16 {
    while true {
      if let closeCode { return closeCode }
      try receiveOrClose(deadline)
    }
  }

  /// Takes the reply that has come to a request, without waiting.
  package func takeReply(to id: RPCIdentifier) -> Reply? {
    replies.removeValue(forKey: id.json)
  }

  private func receive(_ what: String, _ deadline: Deadline) throws {
    if let closeCode { throw TestFailure("closed with \(closeCode) before \(what) came") }
    do { try receiveOrClose(deadline) } catch let failure as TestFailure {
      throw TestFailure("\(failure), while waiting for \(what)")
    }
  }

  private func receiveOrClose(_ deadline: Deadline) throws {
    switch try connection.next(deadline) {
    case .closed(let code): closeCode = code
    case .text(let bytes):
      for output in try RPCOutput.parse(bytes) { take(output) }
    }
  }

  private func take(_ output: RPCOutput) {
    defer { arrivalCount += 1 }
    switch output {
    case .notification(let method, let params):
      events.append(Event(method: method, params: params, ordinal: arrivalCount))
    case .reply(let id, let result):
      let key = id?.json ?? "null"
      replies[key] = Reply(result: result, ordinal: arrivalCount)
    }
  }
}
