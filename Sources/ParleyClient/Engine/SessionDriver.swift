internal import ClientTransport

/// Performs the actions of a session's state machine, on its lane.
final class SessionDriver: LaneMember {
  private unowned let context: any LaneContext
  private let plan: ConnectionPlan
  private let transport: TransportOption
  private let deliver: @Sendable (EngineEvent) -> Void
  private var machine: SessionMachine
  private var connection: (any ServerConnection)?
  private var completions: [EngineCallID: Engine.Completion] = [:]
  /// Unhandled inputs, each with the connection whose end it reports.
  private var waiting: [(SessionInput, source: (any ServerConnection)?)] = []
  private var isHandling = false
  private var timer: (timer: any LaneTimer, time: Int64)?

  init(
    _ plan: ConnectionPlan, _ transport: TransportOption, _ settings: SessionMachine.Settings,
    context: any LaneContext, deliver: @escaping @Sendable (EngineEvent) -> Void
  ) {
    self.plan = plan
    self.transport = transport
    self.context = context
    self.deliver = deliver
    machine = SessionMachine(settings)
  }

  /// Handles a request of the application.
  func handle(_ input: SessionInput, _ id: EngineCallID, _ completion: @escaping Engine.Completion)
  {
    completions[id] = completion
    handle(input)
  }

  func handle(_ input: SessionInput) {
    waiting.append((input, nil))
    proceed()
  }

  /// Handles inputs one at a time: performing an action may already cause the next input.
  private func proceed() {
    guard !isHandling else { return }
    isHandling = true
    while !waiting.isEmpty {
      let (input, source) = waiting.removeFirst()
      guard source == nil || source === connection else { continue }
      if source != nil { connection = nil }
      let actions = machine.handle(
        input, at: context.now, random: .random(in: 0 ... .max))
      for action in actions { perform(action) }
    }
    isHandling = false
    schedule()
  }

  /// Stops after the engine was released, when no caller waits for a result.
  func abandon() {
    timer?.timer.cancel()
    timer = nil
    connection?.close(.normalClosure)
    connection = nil
    for completion in completions.values { completion(.failure(.cancelled)) }
    completions = [:]
  }

  private func perform(_ action: SessionAction) {
    switch action {
    case .connect: connect()
    case .send(let text): connection?.send(text)
    case .ping: connection?.ping()
    case .closeConnection(let reason): close(reason)
    case .complete(let id, let result): completions.removeValue(forKey: id)?(result)
    case .deliver(let event): deliver(event)
    }
  }

  private func connect() {
    switch transport {
    case .webSocket: connection = context.connect(by: plan, owner: self)
    case .stream:
      let stream = StreamConnection(plan, owner: self, in: context)
      connection = stream
      stream.start()
    case .automatic:
      let automatic = AutomaticConnection(plan, owner: self, in: context)
      connection = automatic
      automatic.start()
    }
  }

  private func close(_ reason: SessionAction.CloseReason) {
    let connection = connection
    self.connection = nil
    switch reason {
    case .finished: connection?.close(.normalClosure)
    case .goingAway: connection?.close(.goingAway)
    case .protocolError: connection?.close(.protocolError)
    case .dead: connection?.drop()
    }
  }

  private func schedule() {
    let deadline = machine.nextDeadline
    guard deadline != timer?.time else { return }
    timer?.timer.cancel()
    timer = deadline.map { time in
      let timer = context.timer(after: time - context.now) { [weak self] in self?.timePassed() }
      return (timer, time)
    }
  }

  private func timePassed() {
    timer = nil
    handle(.timePassed)
  }
}

extension SessionDriver: ServerConnectionOwner {
  func connectionDidOpen(_ connection: any ServerConnection) {
    handle(.connectionOpened)
  }

  func connection(_ connection: any ServerConnection, received text: [UInt8]) {
    handle(.textReceived(text))
  }

  func connectionShowedLife(_ connection: any ServerConnection) {
    handle(.signOfLife)
  }

  func connection(_ connection: any ServerConnection, ended end: ConnectionEnd) {
    waiting.append((.connectionEnded(end), connection))
    proceed()
  }
}
