internal import ClientTransport
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// A session's connection over `URLSessionWebSocketTask`; confined to its lane.
///
///     opening ─► open ─► closing ─► closed
final class WebSocketLink: ServerConnection {
  private enum Stage {
    case opening
    case open
    /// The messages of the outbox are sent, and then the close frame.
    case closing(ClosingCode)
    case closed
  }

  /// The time limit for the server to close a closing connection, in milliseconds.
  private static let closePatience: Int64 = 2000
  /// The code for a message of another type than text (RFC 6455 §7.4.1).
  private static let unsupportedData: UInt16 = 1003

  private let plan: ConnectionPlan
  private weak var owner: (any ServerConnectionOwner)?
  private var stage = Stage.opening
  private var task: (any SocketTask)?
  private unowned let context: FoundationContext
  private var timer: (any LaneTimer)?
  /// The messages to send, the first of them in flight: the next is passed to the task when it was
  /// written, so that the order is certain and a server that does not read is noticed.
  private var outbox: [[UInt8]] = []
  private var queuedByteCount = 0
  private var isSending = false

  /// - Parameter task: The task to use; `nil` for one of the context's session.
  init(
    _ plan: ConnectionPlan, owner: any ServerConnectionOwner, in context: FoundationContext,
    task: (any SocketTask)? = nil
  ) {
    self.plan = plan
    self.owner = owner
    self.context = context
    self.task = task
  }

  func start() {
    do throws(ConnectionFailure) {
      if task == nil { task = try startTask() }
    } catch {
      return context.later { [self] in end(error) }
    }
    // Foundation does not report that the server was reached, so the time to reach it counts too.
    let limit = min(plan.attemptTimeout, plan.handshakeTimeout ?? .max)
    timer = context.timer(after: limit) { [weak self] in
      let words = "the opening handshake took too long"
      self?.end(ConnectionFailure(.temporary, words, handshake: .unanswered))
    }
  }

  private func startTask() throws(ConnectionFailure) -> URLSessionWebSocketTask? {
    var request = try URLRequest(plan, scheme: .webSocket)
    request.setValue(ConnectionPlan.subprotocol, forHTTPHeaderField: "Sec-WebSocket-Protocol")
    return try context.session(for: plan).startSocket(
      request, limit: plan.maximumMessageBytes, for: self)
  }

  func send(_ text: [UInt8]) {
    guard case .open = stage else { return }
    outbox.append(text)
    queuedByteCount += text.count
    guard queuedByteCount <= plan.maximumQueuedBytes else {
      let words = "more than \(plan.maximumQueuedBytes) bytes wait for it"
      return end(ConnectionFailure(.lost, "the server reads too slowly: \(words)"))
    }
    sendNext()
  }

  func ping() {
    guard case .open = stage else { return }
    let bound = LaneBound(self)
    let enter = context.entrance
    task?.ping { enter { bound.value.didReceivePong() } }
  }

  func close(_ code: ClosingCode) {
    owner = nil
    guard case .open = stage else {
      if case .closing = stage { return }
      return drop()
    }
    stage = .closing(code)
    // Keeps this link alive until then.
    setTimer(after: Self.closePatience) { [self] in drop() }
    if !isSending { task?.close(code.rawValue) }
  }

  func drop() {
    owner = nil
    stage = .closed
    outbox = []
    timer?.cancel()
    timer = nil
    task?.cancel()
    task = nil
  }

  /// Reports the end of the connection to its owner, and releases all resources.
  private func end(_ failure: ConnectionFailure) {
    report(.failed(failure))
    drop()
  }

  private func report(_ end: ConnectionEnd) {
    let owner = owner
    self.owner = nil
    owner?.connection(self, ended: end)
  }

  private func setTimer(after milliseconds: Int64, _ fire: @escaping () -> Void) {
    timer?.cancel()
    timer = context.timer(after: milliseconds, fire)
  }
}

/// Sending and receiving.
extension WebSocketLink {
  private func sendNext() {
    guard !isSending, let text = outbox.first, let task else { return }
    isSending = true
    let bound = LaneBound(self)
    let enter = context.entrance
    task.send(text: String(decoding: text, as: UTF8.self)) { hasFailed in
      enter { bound.value.didSend(hasFailed: hasFailed) }
    }
  }

  private func didSend(hasFailed: Bool) {
    isSending = false
    guard !outbox.isEmpty else { return }
    queuedByteCount -= outbox.removeFirst().count
    if hasFailed {
      // The end of the task follows, with the server's reason if there is one.
      outbox = []
      queuedByteCount = 0
    }
    sendNext()
    if case .closing(let code) = stage, !isSending { task?.close(code.rawValue) }
  }

  private func receiveNext() {
    let bound = LaneBound(self)
    let enter = context.entrance
    task?.receiveNext { message in enter { bound.value.didReceive(message) } }
  }

  private func didReceive(_ message: SocketMessage) {
    guard case .open = stage else { return }
    switch message {
    case .text(let text):
      owner?.connectionShowedLife(self)
      owner?.connection(self, received: text)
      receiveNext()
    case .binary:
      report(
        .failed(ConnectionFailure(.protocolViolation, "the server sent a binary message")))
      stage = .closed
      task?.close(Self.unsupportedData)
    case .failed(let failure) where failure.kind == .messageTooLarge: end(failure)
    case .failed(let failure):
      // The close frame's code and reason, or the end of the task, follow.
      setTimer(after: Self.closePatience) { [weak self] in self?.end(failure) }
    }
  }

  private func didReceivePong() {
    guard case .open = stage else { return }
    owner?.connectionShowedLife(self)
  }
}

/// The events of the task, from its session's delegate.
extension WebSocketLink {
  func didOpen(_ subprotocol: String?) {
    guard case .opening = stage else { return }
    timer?.cancel()
    timer = nil
    guard subprotocol == nil || subprotocol == ConnectionPlan.subprotocol else {
      return end(
        ConnectionFailure(
          .lasting, "the server opened no WebSocket: another subprotocol", handshake: .refused))
    }
    stage = .open
    owner?.connectionDidOpen(self)
    receiveNext()
  }

  func didClose(_ code: Int, _ reason: Data?) {
    let text = reason.map { String(decoding: $0, as: UTF8.self) } ?? ""
    switch code {
    case 1006: end(ConnectionFailure(.lost, "the server ended the connection"))
    // Foundation's codes for a frame without one.
    case 0, 1005: report(.closedByPeer(code: nil, reason: text))
    default: report(.closedByPeer(code: UInt16(clamping: code), reason: text))
    }
    stage = .closed
  }

  /// - Parameter response: The server's answer to the opening handshake, if there was one.
  func didComplete(_ response: HTTPURLResponse?, _ error: (any Error)?) {
    switch stage {
    case .opening:
      if let response, response.statusCode != 101 {
        end(ConnectionFailure(refusedWith: response))
      } else if let error {
        end(ConnectionFailure(opening: error))
      } else {
        end(
          ConnectionFailure(.lasting, "the server opened no WebSocket", handshake: .refused))
      }
    case .open: end(ConnectionFailure(losing: error))
    case .closing, .closed: drop()
    }
  }
}
