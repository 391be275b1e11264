internal import Reactor
internal import Thumbnails

/// Performs the actions of a ``ThumbnailQueue``: opens files, starts and kills child processes, and
/// reads their results.
///
/// Confined to the thumbnail thread.
final class ThumbnailLoop {
  enum Message: Sendable {
    case request(ThumbnailRequest, any ThumbnailSource, Thumbnailer.Completion)
    case opened(ThumbnailJobID, Result<ThumbnailFile, any Error>)
    case forget(file: String)
    case close
  }

  /// A job started by the queue.
  private enum Running {
    case opening([ThumbnailBox])
    case child(HelperProcess, EventLoop.Registration, ChildWatch)
  }

  /// The source of a file, and the number of requests that need it.
  private struct SharedSource {
    let source: any ThumbnailSource
    var requestCount: Int
  }

  private let configuration: ThumbnailerConfiguration
  private let loop: EventLoop
  private let mailbox: Mailbox<Message>
  private let publish: (ThumbnailFigures) -> Void
  private var queue: ThumbnailQueue
  private var running: [ThumbnailJobID: Running] = [:]
  private var sources: [String: SharedSource] = [:]
  private var callers: [ThumbnailRequestID: (file: String, completion: Thumbnailer.Completion)] =
    [:]
  private var timer: EventLoop.TimerToken?
  private var isClosing = false

  init(
    _ configuration: ThumbnailerConfiguration, loop: EventLoop, mailbox: Mailbox<Message>,
    publish: @escaping (ThumbnailFigures) -> Void
  ) throws(SystemError) {
    self.configuration = configuration
    self.loop = loop
    self.mailbox = mailbox
    self.publish = publish
    queue = ThumbnailQueue(
      ThumbnailQueue.Bounds(
        concurrency: configuration.concurrency, capacity: configuration.capacity,
        wallClock: configuration.limits.wallClock))
    _ = try loop.register(mailbox.descriptor, for: .readable, handler: self)
  }

  private func receive(_ message: Message) {
    switch message {
    case .request(let request, let source, let completion):
      callers[request.id] = (request.file, completion)
      sources[request.file, default: SharedSource(source: source, requestCount: 0)]
        .requestCount += 1
      handle(.request(request))
    case .opened(let job, let file): begin(job, on: file)
    case .forget(let file): handle(.forget(file: file))
    case .close:
      isClosing = true
      handle(.close)
    }
  }

  private func handle(_ input: ThumbnailInput) {
    var actions: [ThumbnailAction] = []
    queue.handle(input, at: loop.now, into: &actions)
    publish(queue.figures)
    for action in actions { perform(action) }
    if isClosing, running.isEmpty { loop.stop() }
  }

  private func perform(_ action: ThumbnailAction) {
    switch action {
    case .start(let job, let file, let boxes): open(file, for: job, boxes)
    case .kill(let job): kill(job)
    case .answer(let request, let result): answer(request, result)
    case .wake(let time): wake(at: time)
    }
  }

  private func open(_ file: String, for job: ThumbnailJobID, _ boxes: [ThumbnailBox]) {
    running[job] = .opening(boxes)
    sources[file]?.source.open { [mailbox] in mailbox.post(.opened(job, $0)) }
  }

  private func begin(_ job: ThumbnailJobID, on file: Result<ThumbnailFile, any Error>) {
    // Unless the job was killed meanwhile.
    guard case .opening(let boxes) = running[job] else { return }
    do {
      var command = HelperCommand(.thumbnails(boxes), programs: configuration.programs)
      command.limits = configuration.limits
      command.requiresWalls = configuration.requiresWalls
      let helper = try HelperProcess(
        command, on: file.get(), installation: configuration.installation)
      let watch = ChildWatch { [unowned self] in finish(job) }
      let registration = try loop.register(helper.descriptor, for: .readable, handler: watch)
      running[job] = .child(helper, registration, watch)
    } catch {
      end(job, ThumbnailResult(.failed, reason: "\(error)", isFinal: false))
    }
  }

  private func finish(_ job: ThumbnailJobID) {
    guard case .child(let helper, let registration, _) = running[job] else { return }
    loop.deregister(registration)
    end(job, helper.finish())
  }

  private func end(_ job: ThumbnailJobID, _ result: ThumbnailResult) {
    running[job] = nil
    handle(.ended(job, result))
  }

  private func kill(_ job: ThumbnailJobID) {
    switch running[job] {
    case .child(let helper, _, _): helper.kill()
    case .opening:
      end(
        job,
        ThumbnailResult(.killed, reason: "the file could not be read in time", isFinal: false))
    case nil: break
    }
  }

  private func answer(_ request: ThumbnailRequestID, _ result: ThumbnailResult) {
    guard let (file, completion) = callers.removeValue(forKey: request) else { return }
    if let source = sources[file], source.requestCount > 1 {
      sources[file]?.requestCount -= 1
    } else {
      sources[file] = nil
    }
    completion(result)
  }

  private func wake(at time: Int64) {
    // One timer is enough: the queue requests the remaining times when it fires.
    guard timer == nil else { return }
    timer = loop.schedule(after: time - loop.now, self)
  }
}

extension ThumbnailLoop: ReadinessHandler {
  func descriptorIsReady(for readiness: Readiness) {
    mailbox.acknowledge()
    for message in mailbox.takeAll(reusing: []) { receive(message) }
  }
}

extension ThumbnailLoop: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    handle(.deadline)
  }
}

/// Waits for the end of one child process.
private final class ChildWatch: ReadinessHandler {
  private let childDidEnd: () -> Void

  init(_ childDidEnd: @escaping () -> Void) { self.childDidEnd = childDidEnd }

  func descriptorIsReady(for readiness: Readiness) { childDidEnd() }
}
