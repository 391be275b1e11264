internal import Cluster
internal import Reactor
internal import Synchronization

/// The thread of a ``ClusterLoop``: passes bytes between the bus, the machine and the delegate.
///
/// Confined to its thread.
final class ClusterThread: ReadinessHandler, TimerHandler {
  /// The maximum size of a frame, even if the bus would carry more: a lost frame is resent whole.
  private static let frameLimit = 256 << 10
  /// Milliseconds between two updates of the figures.
  private static let figuresPause: Int64 = 250
  /// Milliseconds that the registry may take to record the leave.
  private static let leaveTime: Int64 = 3_000

  private let loop: EventLoop
  private let mailbox: Mailbox<ClusterCommand>
  private let registry: RegistryThread
  private let state: ClusterState
  private let inboxes: ServerInboxes
  private var bus: (any Bus)?
  private var machine: ClusterMachine
  private var clock = ClockOffset()
  private var busFault: String? = "starting"
  private weak var delegate: (any ClusterDelegate)?
  /// Events from before the delegate was set.
  private var early: [ClusterAction] = []
  private var commands: [ClusterCommand] = []
  private var timer: (token: EventLoop.TimerToken, time: Int64)?
  private var figuresAt = Int64.min
  private var leaveUntil: Int64?

  static func run(
    _ mailbox: Mailbox<ClusterCommand>, _ registry: RegistryThread, _ options: ClusterOptions,
    _ makeBus: BusMaker, _ state: ClusterState, _ report: StartReport<ClusterError>
  ) {
    do {
      let loop = try EventLoop()
      let thread = try ClusterThread(loop, mailbox, registry, options, makeBus, state)
      let registration = try loop.register(
        mailbox.descriptor, for: .readable, handler: thread)
      loop.endOfTurn = { [unowned thread] in thread.endTurn() }
      report.add(.success(()))
      loop.run()
      loop.deregister(registration)
    } catch {
      registry.post(.leave)
      report.add(.failure(.system("\(error)")))
    }
  }

  private init(
    _ loop: EventLoop, _ mailbox: Mailbox<ClusterCommand>, _ registry: RegistryThread,
    _ options: ClusterOptions, _ makeBus: BusMaker, _ state: ClusterState
  ) throws {
    self.loop = loop
    self.mailbox = mailbox
    self.registry = registry
    self.state = state
    let inboxes = try ServerInboxes(ofCluster: options.clusterName)
    self.inboxes = inboxes
    // Events arrive in the first turn at the earliest.
    let events = BusEvents()
    let bus = try makeBus(loop, [inboxes[registry.place.member.id], inboxes[nil]]) {
      events.receiver?.take($0)
    }
    self.bus = bus
    var settings = ClusterMachine.Settings(
      limits: LinkLimits(frameBytes: min(bus.messageByteLimit, Self.frameLimit)))
    settings.timing = options.timing
    settings.versions = options.versions
    settings.deployment = registry.place.deployment
    settings.authentication = options.secret.map(SecretAuthentication.init)
    machine = ClusterMachine(registry.place.member, settings, at: loop.now)
    events.receiver = self
  }

  func descriptorIsReady(for readiness: Readiness) {
    mailbox.acknowledge()
    commands = mailbox.takeAll(reusing: commands)
    for command in commands { carryOut(command) }
    commands.removeAll(keepingCapacity: commands.capacity <= 4_096)
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { timer = nil }

  fileprivate func take(_ event: BusEvent) {
    switch event {
    case .message(let bytes): machine.receive(bytes, at: loop.now)
    case .up:
      busFault = nil
      machine.handle(.busOpened, at: loop.now)
    case .down(let reason): busFault = reason
    }
  }

  private func carryOut(_ command: ClusterCommand) {
    switch command {
    case .send(let message, let server, let resetCount):
      machine.send(message, to: server, knowing: resetCount, at: loop.now)
    case .start(let delegate):
      self.delegate = delegate
      delegate.ringDidChange(machine.ring)
      for action in early { report(action, to: delegate) }
      early = []
      machine.handle(.mayServe, at: loop.now)
    case .drain: machine.handle(.drain, at: loop.now)
    case .store(let canWrite): machine.handle(.store(canWrite: canWrite), at: loop.now)
    case .registry(let answer): take(answer)
    case .leave:
      leaveUntil = loop.now + Self.leaveTime
      registry.post(.leave)
    case .stop: stop()
    }
  }

  private func take(_ answer: RegistryThread.Answer) {
    switch answer {
    case .beat(let view, let sample):
      clock.add(sample, at: loop.now)
      state.clockOffset = clock.milliseconds
      machine.handle(.registryAnswered(view), at: loop.now)
    case .reconnected: machine.handle(.registryReconnected, at: loop.now)
    case .changed: machine.handle(.registryChanged, at: loop.now)
    case .failed: machine.handle(.registryFailed, at: loop.now)
    case .left:
      // The other servers read the registry at once; this server no longer does.
      machine.handle(.registryChanged, at: loop.now)
      carryOutActions()
      bus?.flush()
      stop()
    }
  }

  private func stop() {
    // Otherwise the loop would hold this object, which holds the loop.
    if let timer { loop.cancel(timer.token) }
    timer = nil
    bus?.close()
    bus = nil
    loop.stop()
  }

  // MARK: The end of a turn

  private func endTurn() -> TurnOutcome {
    if let leaveUntil, loop.now >= leaveUntil { stop() }
    guard bus != nil else { return .idle }
    machine.endTurn(at: loop.now)
    carryOutActions()
    bus?.flush()
    publishFigures()
    let deadline = min(machine.deadline, leaveUntil ?? .max)
    guard deadline > loop.now else { return .unfinished }
    schedule(at: deadline)
    return .idle
  }

  private func schedule(at deadline: Int64) {
    if let timer {
      guard timer.time != deadline else { return }
      loop.cancel(timer.token)
    }
    timer = nil
    guard deadline < .max else { return }
    timer = (loop.schedule(after: deadline - loop.now, self), deadline)
  }

  private func carryOutActions() {
    for action in machine.takeActions() {
      switch action {
      case .transmit(let bytes, let receiver):
        bus?.send(bytes, to: inboxes[receiver])
      case .beatRegistry(let serverState, let isOnBus):
        if leaveUntil == nil { registry.post(.beat(serverState, isOnBus: isOnBus)) }
      case .declareDead(let server, let evidence):
        if leaveUntil == nil { registry.post(.declareDead(server, evidence)) }
      case .ring(let ring):
        state.ring = ring
        report(action)
      case .deliver, .reset, .silence, .leave: report(action)
      }
    }
    delegate?.didReceiveAll()
  }

  private func report(_ action: ClusterAction) {
    guard let delegate else { return early.append(action) }
    report(action, to: delegate)
  }

  private func report(_ action: ClusterAction, to delegate: any ClusterDelegate) {
    switch action {
    case .deliver(let message, let server): delegate.received(message, from: server)
    case .reset(let server, _, let count): delegate.linkWasReset(with: server, count: count)
    case .ring(let ring): delegate.ringDidChange(ring)
    case .silence(let servers): delegate.silenceDidChange(servers)
    case .leave(let reason): delegate.mustLeave(reason: reason.description)
    case .transmit, .beatRegistry, .declareDead: break
    }
  }

  private func publishFigures() {
    guard loop.now >= figuresAt else { return }
    figuresAt = loop.now + Self.figuresPause
    var figures = machine.figures(at: loop.now)
    figures.clockOffset = clock.milliseconds
    figures.busFault = busFault
    state.figures = figures
  }
}

/// The inboxes of a cluster's servers: `name.id` for one server, `name.all` for all.
private struct ServerInboxes {
  private let prefix: String
  private let all: Inbox

  /// - Throws: For a name that is too long or has characters that an inbox name may not have.
  init(ofCluster name: String) throws(ClusterError) {
    prefix = name + "."
    guard let all = Inbox(prefix + "all"), Inbox(prefix + "\(ServerID(rawValue: 1))") != nil else {
      throw .system("the cluster's name '\(name)' cannot name inboxes")
    }
    self.all = all
  }

  /// The inbox of a server; `nil` stands for all servers.
  subscript(server: ServerID?) -> Inbox {
    server.flatMap { Inbox(prefix + $0.description) } ?? all
  }
}

/// The receiver of a bus's events, which is created after the bus.
private final class BusEvents {
  weak var receiver: ClusterThread?
}
