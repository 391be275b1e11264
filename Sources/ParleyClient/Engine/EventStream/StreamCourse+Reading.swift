internal import Basics
internal import ClientTransport
internal import ParleyProtocol

/// The requests for the events of a stream, one at a time.
struct EventReading: Sendable {
  enum State: Sendable, Hashable {
    /// There is no request.
    case none
    /// The head of the response is missing.
    case requested
    /// The response carries events.
    case responding
    /// The response is of no use, and its end is awaited.
    case refused
    /// Waiting before the next request.
    case pausing(until: Int64)
  }

  var state = State.none
  /// The kind of requests from now on.
  var kind = StreamCourse.Reading.events
  /// The number of the last event received.
  var lastID: UInt64 = 0
  /// The time of the current or latest request.
  var since: Int64 = 0
  /// The time since which `hello` is missing; `nil` if it came, or nothing can arrive.
  var helloMissingSince: Int64?
  /// The latest time at which events could be received.
  var lastSuccess: Int64 = 0
  /// The number of requests without success since then.
  var failures = 0
  /// Whether the current response has brought an event.
  var hasNews = false
  var reader = EventStreamReader(limit: 0)

  var deadline: Int64? {
    switch state {
    case .pausing(let until): until
    case .requested, .responding, .refused:
      helloMissingSince.map { $0 + StreamCourse.helloPatience }
    case .none: nil
    }
  }

  /// Whether there is a request.
  var isInProgress: Bool {
    switch state {
    case .none, .pausing: false
    case .requested, .responding, .refused: true
    }
  }

  mutating func stop() {
    state = .none
    helloMissingSince = nil
  }
}

/// Reading events.
extension StreamCourse {
  /// A response without its first event for this long is held back by a proxy.
  static let helloPatience: Int64 = 3000
  /// The time without any success after which a stream is given up; the server does the same.
  private static let readingPatience: Int64 = 30_000
  /// The waits between requests without success.
  private static let pauses = Backoff(first: 250, limit: 4000, jitter: .equal)
  /// A response that ends sooner is followed by a pause.
  private static let shortResponse: Int64 = 1000

  mutating func beginReading(at now: Int64) {
    reading.lastSuccess = now
    requestEvents(at: now)
  }

  private mutating func requestEvents(at now: Int64) {
    guard let path else { return }
    // The names of an event's fields and its number come on top of the message.
    reading.reader = EventStreamReader(limit: limits.messageBytes + 64)
    reading.state = .requested
    reading.since = now
    reading.hasNews = false
    switch reading.kind {
    case .events:
      reading.helloMissingSince = reading.helloMissingSince ?? now
      effects.append(.read("\(path)?after=\(reading.lastID)", .events))
    case .poll: effects.append(.read("\(path)?poll=1&after=\(reading.lastID)", .poll))
    }
  }

  /// Verifies that the server can be reached, and that events would arrive.
  mutating func check(at now: Int64) {
    guard let path else { return }
    switch (reading.kind, reading.state) {
    // The server answers another request at once, and continues there.
    case (.events, .responding): requestEvents(at: now)
    case (.poll, _): effects.append(.check(path))
    case (.events, _): break
    }
  }

  mutating func passReadingTime(at now: Int64) {
    if case .pausing(let until) = reading.state {
      if until <= now { requestEvents(at: now) }
      return
    }
    guard let since = reading.helloMissingSince, since + Self.helloPatience <= now else { return }
    reading.helloMissingSince = nil
    reading.kind = .poll
    requestEvents(at: now)
  }

  mutating func take(_ part: ResponsePart, at now: Int64) {
    guard reading.isInProgress else { return }
    switch part {
    case .head(let head): take(head, at: now)
    case .body(let bytes):
      guard case .responding = reading.state else { return }
      receive(bytes, at: now)
    case .end: endResponse(at: now)
    case .failed:
      // A network that carries nothing does not hold responses back.
      if case .requested = reading.state { reading.helloMissingSince = nil }
      endResponse(at: now)
    }
  }

  private mutating func take(_ head: ClientResponse, at now: Int64) {
    switch head.status {
    case 404, 410: fail(.lost, "the stream has ended, or events were dropped")
    case 200 where head["Content-Type"]?.hasPrefix("text/event-stream") == true:
      reading.state = .responding
      if reading.kind == .poll { succeed(at: now) }
    default: reading.state = .refused
    }
  }

  private mutating func succeed(at now: Int64) {
    reading.lastSuccess = now
    reading.failures = 0
  }

  private mutating func receive(_ bytes: [UInt8], at now: Int64) {
    do throws(EventStreamReader.TooLarge) {
      for event in try reading.reader.receive(bytes) where !isOver { take(event, at: now) }
    } catch {
      fail(.messageTooLarge, "the server sent an event of more than \(error.limit) bytes")
    }
  }

  private mutating func take(_ event: StreamEvent, at now: Int64) {
    reading.helloMissingSince = nil
    succeed(at: now)
    // Events that were received by an earlier request have no news.
    guard let id = event.id, id > reading.lastID else { return }
    guard id == reading.lastID + 1 else {
      return fail(.lost, "events \(reading.lastID + 1) to \(id - 1) of the stream are missing")
    }
    reading.lastID = id
    reading.hasNews = true
    switch event.name {
    case "": effects.append(.deliver(event.data))
    case "close": takeClose(event.data)
    default: break
    }
  }

  private mutating func takeClose(_ data: [UInt8]) {
    let root = (try? JSONDocument(data))?.root
    let code = root?["code"]?.integer.flatMap { UInt16(exactly: $0) }
    end(.closedByPeer(code: code, reason: root?["reason"]?.string ?? ""))
  }

  /// Requests events again after a response has ended.
  private mutating func endResponse(at now: Int64) {
    if reading.state == .responding, reading.helloMissingSince == nil {
      succeed(at: now)
      let isLong = now - reading.since >= Self.shortResponse
      if isLong || reading.kind == .poll && reading.hasNews { return requestEvents(at: now) }
    }
    guard now - reading.lastSuccess < Self.readingPatience else {
      return fail(.lost, "no events could be received for \(Self.readingPatience / 1000) seconds")
    }
    reading.failures += 1
    reading.state = .pausing(until: now + Self.pauses.ceiling(after: reading.failures))
  }
}
