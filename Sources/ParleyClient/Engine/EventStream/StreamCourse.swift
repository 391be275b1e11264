internal import ClientTransport
internal import ParleyProtocol

/// The requests of one stream, in place of a WebSocket: posted messages and responses with events.
///
///     POST session.open ─► 201 ─► GET ─► events …       cut: GET again after the last event
///                                  │ no hello in 3 s
///                                  └─► polls ─► events …
///     POST message ─► 202 ─► POST message …             the next one after 202
///
/// Owns no connection, clock or thread. Every input returns the effects to perform, in order;
/// ``nextDeadline`` is the latest time of the next input.
struct StreamCourse: Sendable {
  struct Limits: Sendable, Hashable {
    /// The largest message of the server, in bytes.
    var messageBytes = 1_048_576
    /// The maximum number of bytes that wait to be posted.
    var queuedBytes = 4_456_448
  }

  enum Input: Sendable {
    /// The session sends a message.
    case send([UInt8])
    /// The session has not heard from the server for long.
    case ping
    /// The session does not need the stream any more; what was sent before is posted.
    case close
    /// The outcome of the posted message.
    case answered(Result<ClientResponse, ConnectionFailure>)
    /// A part of the response to the latest request for events.
    case read(ResponsePart)
    /// A deadline may have passed.
    case timePassed
  }

  enum Effect: Sendable, Hashable {
    /// Post a message; no other one is being posted.
    case post([UInt8], to: String)
    /// Request events, in place of an earlier request for events.
    case read(String, Reading)
    /// End the request for events.
    case stopReading
    /// Send a request whose answer only shows that the server is alive.
    case check(String)
    /// Close the stream at the server.
    case delete(String)
    /// Deliver a message to the session.
    case deliver([UInt8])
    /// End all requests and report the end of the stream.
    case end(ConnectionEnd)
    /// End all requests: the session has closed the stream.
    case finish
  }

  /// The kind of a request for events.
  enum Reading: Sendable, Hashable {
    /// Its response has no end.
    case events
    /// Its response ends with the events there are.
    case poll
  }

  private enum Stage {
    case active
    case closing(until: Int64)
    case over
  }

  /// The milliseconds in which what was sent before the end is posted.
  private static let closePatience: Int64 = 2000

  let limits: Limits
  /// The path of the stream once it is open.
  var path: String?
  /// Whether the server has refused the stream because it has none.
  private(set) var isMissing = false
  private var stage = Stage.active
  var posting = PostQueue()
  var reading = EventReading()
  var effects: [Effect] = []

  init(_ limits: Limits) {
    self.limits = limits
  }

  /// Handles one input.
  ///
  /// - Parameter now: Milliseconds of a monotonic clock.
  /// - Returns: The effects to perform, in order.
  mutating func handle(_ input: Input, at now: Int64) -> [Effect] {
    if isOver { return [] }
    switch input {
    case .send(let message): send(message, at: now)
    case .ping: check(at: now)
    case .close: close(at: now)
    case .answered(let result): take(result, at: now)
    case .read(let part): if case .active = stage { take(part, at: now) }
    case .timePassed: passTime(at: now)
    }
    defer { effects = [] }
    return effects
  }

  var isOver: Bool {
    if case .over = stage { true } else { false }
  }

  /// The time of the next deadline; `nil` if there is none.
  var nextDeadline: Int64? {
    switch stage {
    case .over: nil
    case .closing(let until): min(until, posting.deadline ?? until)
    case .active: [posting.deadline, reading.deadline].compactMap(\.self).min()
    }
  }

  /// Ends the stream, and reports the reason unless the session has closed it.
  mutating func end(_ end: ConnectionEnd) {
    switch stage {
    case .active: effects.append(.end(end))
    case .closing: effects.append(.finish)
    case .over: return
    }
    stage = .over
  }

  mutating func fail(_ kind: ConnectionFailure.Kind, _ reason: String) {
    end(.failed(ConnectionFailure(kind, reason)))
  }

  private mutating func close(at now: Int64) {
    guard case .active = stage else { return }
    stage = .closing(until: now + Self.closePatience)
    reading.stop()
    effects.append(.stopReading)
    finishIfPosted()
  }

  /// Closes the stream at the server after the last message was posted, if the session has closed it.
  private mutating func finishIfPosted() {
    guard case .closing = stage, posting.isEmpty else { return }
    stage = .over
    if let path { effects.append(.delete(path)) }
    effects.append(.finish)
  }

  private mutating func passTime(at now: Int64) {
    if case .closing(let until) = stage, until <= now {
      stage = .over
      return effects.append(.finish)
    }
    if posting.isDue(at: now) { post() }
    if case .active = stage { passReadingTime(at: now) }
  }
}

/// Posting messages.
extension StreamCourse {
  private mutating func send(_ message: [UInt8], at now: Int64) {
    guard case .active = stage else { return }
    posting.append(message)
    guard posting.byteCount <= limits.queuedBytes else {
      return fail(
        .lost, "the server reads too slowly: more than \(limits.queuedBytes) bytes wait for it")
    }
    post()
  }

  private mutating func post() {
    guard let message = posting.begin() else { return }
    effects.append(.post(message, to: path ?? StreamAnswer.rootPath))
  }

  private mutating func take(_ result: Result<ClientResponse, ConnectionFailure>, at now: Int64) {
    guard let message = posting.inFlight else { return }
    switch result {
    case .failure(let failure): failPosting(failure)
    case .success(let response):
      let answer =
        path == nil
        ? StreamAnswer(response, opening: message, limit: limits.messageBytes)
        : StreamAnswer(response, to: message)
      take(answer, at: now)
    }
  }

  private mutating func take(_ answer: StreamAnswer, at now: Int64) {
    switch answer {
    case .opened(let path, let reply):
      self.path = path
      posting.removeFirst()
      effects.append(.deliver(reply))
      if case .active = stage { beginReading(at: now) }
    case .accepted: posting.removeFirst()
    case .refused(let reply):
      posting.removeFirst()
      if let reply { effects.append(.deliver(reply)) }
    case .wait(let milliseconds): posting.pause(until: now + milliseconds)
    case .gone: return fail(.lost, "the stream has ended")
    case .missing:
      isMissing = true
      return fail(.lasting, "the server has no event streams: it answered 404")
    case .failed(let failure): return failPosting(failure)
    }
    post()
    finishIfPosted()
  }

  /// Ends a stream whose message may have been lost, as a WebSocket ends that is lost.
  private mutating func failPosting(_ failure: ConnectionFailure) {
    guard path != nil else { return end(.failed(failure)) }
    fail(.lost, "a posted message was lost: \(failure.reason)")
  }
}

/// The messages of a stream that are not posted yet, in order.
struct PostQueue: Sendable {
  private enum State {
    case idle
    case inFlight
    /// The server asked to post the first message again at this time.
    case pausing(until: Int64)
  }

  private var messages: [[UInt8]] = []
  private(set) var byteCount = 0
  private var state = State.idle

  var isEmpty: Bool { messages.isEmpty }

  /// The message that is being posted.
  var inFlight: [UInt8]? {
    if case .inFlight = state { messages.first } else { nil }
  }

  /// The end of the pause.
  var deadline: Int64? {
    if case .pausing(let until) = state { until } else { nil }
  }

  mutating func append(_ message: [UInt8]) {
    messages.append(message)
    byteCount += message.count
  }

  /// Returns the message to post now, if there is one.
  mutating func begin() -> [UInt8]? {
    guard case .idle = state, let first = messages.first else { return nil }
    state = .inFlight
    return first
  }

  /// Removes the message that was posted.
  mutating func removeFirst() {
    state = .idle
    byteCount -= messages.removeFirst().count
  }

  mutating func pause(until time: Int64) { state = .pausing(until: time) }

  /// Ends a pause that has passed, and returns whether it did.
  mutating func isDue(at now: Int64) -> Bool {
    guard case .pausing(let until) = state, until <= now else { return false }
    state = .idle
    return true
  }
}
