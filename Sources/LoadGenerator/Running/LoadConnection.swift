internal import ClientSockets
internal import ClientTransport
internal import ParleyProtocol
internal import HTTP

/// One user's connection: opens a session, enters its channels, sends and receives.
///
///     idle ─► connecting ─► preparing ─► ready ─► over
///               ▲                          │
///               └──────── cut off ─────────┘
///
/// Confined to its worker's loop.
final class LoadConnection {
  enum State {
    case idle
    /// The socket, TLS and the opening handshake are in progress.
    case connecting
    /// The number of responses missing until the session is open and all channels are entered.
    case preparing(missing: Int)
    case ready
    case over
  }

  let place: Int
  let member: LoadMember
  /// The worker releases its connections when it is abandoned, and is accessed for every message.
  let worker: LoadWorker
  var state = State.idle
  var connection: ClientConnection?
  /// The traces, in the order of the member's channels.
  var traces: [SubscriptionTrace]
  /// The unanswered sends, by message number.
  var pending: [UInt32: UnansweredSend] = [:]
  var nextNumber: UInt32 = 0
  var schedule: SendSchedule?
  /// The scheduled connection time, in nanoseconds of the monotonic clock, and its latency series.
  var attempt: (since: Int64, series: LatencySeries) = (0, .connect)

  init(_ member: LoadMember, at place: Int, of worker: LoadWorker) {
    self.place = place
    self.member = member
    self.worker = worker
    traces = member.channels.map {
      SubscriptionTrace(
        subscriber: UInt32(truncatingIfNeeded: place), channel: $0,
        isOperator: member.creates.contains($0))
    }
  }

  var isReady: Bool {
    if case .ready = state { true } else { false }
  }

  /// Starts to connect.
  func connect(since intended: Int64, as series: LatencySeries) {
    attempt = (intended, series)
    state = .connecting
    let target = worker.target
    let made = ClientConnection(
      target.plan, context: worker.context, owner: self,
      local: target.localEnd(of: place, isSlow: member.isSlow))
    connection = made
    made.start()
  }

  /// Cuts the connection without a close frame, as a failing network does.
  func cut() {
    connection?.drop()
    connection = nil
    leave()
    state = .idle
  }

  /// Closes the connection normally.
  func finish() {
    connection?.close(.normalClosure)
    connection = nil
    state = .over
  }

  func leave() {
    if isReady { worker.counters.ready -= 1 }
    for index in traces.indices { traces[index].leave() }
  }

  func trace(of channel: UInt32) -> Int? {
    member.channels.firstIndex(of: channel)
  }

  /// Gives up a connection that cannot become ready.
  func fail(_ reason: String) {
    worker.counters.connectFailures += 1
    worker.note("connection \(place): \(reason)")
    connection?.close(.goingAway)
    connection = nil
    leave()
    state = .over
    worker.attemptDidEnd()
  }
}

extension LoadConnection: ConnectionOwner {
  func connectionDidOpen(_ connection: ClientConnection) {
    prepare()
  }

  func connectionShowedLife(_ connection: ClientConnection) {
    worker.didRead()
  }

  func connection(_ connection: ClientConnection, received text: Span<UInt8>) {
    worker.counters.receivedBytes += text.count
    if let delivery = worker.scanner.delivery(in: text) {
      receive(delivery, isLive: true)
    } else {
      receiveOther(text)
    }
  }

  func connection(_ connection: ClientConnection, ended end: ConnectionEnd) {
    self.connection = nil
    switch state {
    case .idle, .over: return
    case .connecting, .preparing: return fail(end.words)
    case .ready: break
    }
    leave()
    state = .over
    if member.isSlow {
      worker.counters.slowClosed += 1
    } else {
      worker.counters.lostConnections += 1
      worker.note("connection \(place) was lost: \(end.words)")
    }
  }
}

extension ConnectionEnd {
  var words: String {
    switch self {
    case .closedByPeer(let code, let reason): "closed with \(code ?? 0) \(reason)"
    case .failed(let failure): failure.reason
    }
  }
}
