internal import ClientTransport

/// A session's connection over an event stream: performs the effects of a ``StreamCourse``.
///
/// It is open at once, because the session's first message opens the stream.
final class StreamConnection: ServerConnection {
  /// The time limit of a posted message: the server may hold it while the session is over its rate.
  private static let postTimeout = Duration.seconds(60)
  /// The server answers a poll within 25 seconds.
  private static let pollTimeout = Duration.seconds(35)
  private static let checkTimeout = Duration.seconds(10)
  /// A response with events has no end; the session notices when nothing arrives.
  private static let unlimited = Duration.seconds(31_536_000)

  private let plan: ConnectionPlan
  private let base: String
  /// `nil` when the lane has ended; its requests may end later.
  private weak var context: (any LaneContext)?
  private weak var owner: (any ServerConnectionOwner)?
  private var course: StreamCourse
  private var waiting: [StreamCourse.Input] = []
  private var isHandling = false
  private var isReleased = false
  private var post: (any LaneRequest)?
  private var reading: (any LaneRequest)?
  private var timer: (timer: any LaneTimer, time: Int64)?

  init(
    _ plan: ConnectionPlan, owner: any ServerConnectionOwner, in context: any LaneContext
  ) {
    self.plan = plan
    self.owner = owner
    self.context = context
    base = ServerBase.url(of: plan.server)
    course = StreamCourse(
      StreamCourse.Limits(
        messageBytes: plan.maximumMessageBytes, queuedBytes: plan.maximumQueuedBytes))
  }

  /// Whether the server has no streams, once the end was reported.
  var isMissing: Bool { course.isMissing }

  /// Reports the connection as open, after this method has returned.
  func start() {
    _ = context?.timer(after: 0) { [self] in owner?.connectionDidOpen(self) }
  }

  func send(_ text: [UInt8]) { handle(.send(text)) }

  func ping() { handle(.ping) }

  func close(_ code: ClosingCode) {
    owner = nil
    handle(.close)
  }

  func drop() {
    owner = nil
    release()
  }

  /// Handles inputs one at a time: the session may send while it receives.
  private func handle(_ input: StreamCourse.Input) {
    waiting.append(input)
    guard !isHandling else { return }
    isHandling = true
    while let context, !waiting.isEmpty, !isReleased {
      let effects = course.handle(waiting.removeFirst(), at: context.now)
      for effect in effects where !isReleased { perform(effect) }
    }
    isHandling = false
    if !isReleased { schedule() }
  }

  private func perform(_ effect: StreamCourse.Effect) {
    switch effect {
    case .post(let message, let path): startPost(message, to: path)
    case .read(let target, let kind): read(target, kind)
    case .stopReading: stopReading()
    case .check(let path): check(path)
    case .delete(let path): send(ClientRequest("DELETE"), to: path) { _ in }
    case .deliver(let text): owner?.connection(self, received: text)
    case .end(let end):
      release()
      let owner = owner
      self.owner = nil
      owner?.connection(self, ended: end)
    case .finish: release()
    }
  }

  private func startPost(_ message: [UInt8], to path: String) {
    var request = ClientRequest("POST")
    request.fields = [("Content-Type", "application/json")]
    request.body = message
    request.timeout = Self.postTimeout
    var response = WholeResponse()
    post = send(request, to: path) { [self] part in
      showLife(part)
      guard let result = response.take(part) else { return }
      post?.cancel()
      post = nil
      handle(.answered(result))
    }
  }

  private func read(_ target: String, _ kind: StreamCourse.Reading) {
    stopReading()
    var request = ClientRequest("GET")
    request.fields = [
      ("Accept", "text/event-stream"), ("Accept-Encoding", "identity"),
      ("Cache-Control", "no-store"),
    ]
    request.timeout = kind == .events ? Self.unlimited : Self.pollTimeout
    reading = send(request, to: target) { [self] part in
      showLife(part)
      handle(.read(part))
    }
  }

  private func stopReading() {
    reading?.cancel()
    reading = nil
  }

  private func check(_ path: String) {
    var request = ClientRequest("HEAD")
    request.timeout = Self.checkTimeout
    send(request, to: path) { [weak self] in self?.showLife($0) }
  }

  @discardableResult
  private func send(
    _ request: ClientRequest, to target: String, _ receive: @escaping (ResponsePart) -> Void
  ) -> (any LaneRequest)? {
    do throws(ConnectionPlanError) {
      return context?.request(request, by: try plan.toRequest(base + target), receive)
    } catch {
      // The server's address is checked, and so is the path of a stream.
      let failure = ConnectionFailure(.lasting, "a stream has no valid address: \(error)")
      _ = context?.timer(after: 0) { receive(.failed(failure)) }
      return nil
    }
  }

  private func showLife(_ part: ResponsePart) {
    switch part {
    case .head, .body: owner?.connectionShowedLife(self)
    case .end, .failed: break
    }
  }

  private func schedule() {
    let deadline = course.nextDeadline
    guard deadline != timer?.time else { return }
    timer?.timer.cancel()
    guard let context else { return timer = nil }
    timer = deadline.map { time in
      (context.timer(after: time - context.now) { [self] in timePassed() }, time)
    }
  }

  private func timePassed() {
    timer = nil
    handle(.timePassed)
  }

  private func release() {
    isReleased = true
    post?.cancel()
    post = nil
    stopReading()
    timer?.timer.cancel()
    timer = nil
  }
}
