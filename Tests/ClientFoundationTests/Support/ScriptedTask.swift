import ClientTransport
import Synchronization

@testable import ClientFoundation

/// A WebSocket task whose outcomes the test decides.
final class ScriptedTask: SocketTask, Sendable {
  private struct State {
    var texts: [String] = []
    var completions: [@Sendable (Bool) -> Void] = []
    var receivers: [@Sendable (SocketMessage) -> Void] = []
    var pongs: [@Sendable () -> Void] = []
    var closings: [UInt16] = []
    var isCancelled = false
  }

  private let state = Mutex(State())

  /// The texts passed to the task so far.
  var texts: [String] { state.withLock { $0.texts } }
  var closings: [UInt16] { state.withLock { $0.closings } }
  var isCancelled: Bool { state.withLock { $0.isCancelled } }
  var receiverCount: Int { state.withLock { $0.receivers.count } }
  var pingCount: Int { state.withLock { $0.pongs.count } }

  func send(text: String, completion: @escaping @Sendable (_ hasFailed: Bool) -> Void) {
    state.withLock {
      $0.texts.append(text)
      $0.completions.append(completion)
    }
  }

  func receiveNext(_ completion: @escaping @Sendable (SocketMessage) -> Void) {
    state.withLock { $0.receivers.append(completion) }
  }

  func ping(_ pong: @escaping @Sendable () -> Void) {
    state.withLock { $0.pongs.append(pong) }
  }

  func close(_ code: UInt16) {
    state.withLock { $0.closings.append(code) }
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
  }

  /// Completes the oldest send.
  func didSend(hasFailed: Bool = false) {
    state.withLock { $0.completions.isEmpty ? nil : $0.completions.removeFirst() }?(hasFailed)
  }

  /// Delivers a message to the oldest receiver.
  func deliver(_ message: SocketMessage) {
    state.withLock { $0.receivers.isEmpty ? nil : $0.receivers.removeFirst() }?(message)
  }

  /// Answers the oldest ping.
  func pong() {
    state.withLock { $0.pongs.isEmpty ? nil : $0.pongs.removeFirst() }?()
  }
}

/// The owner of a connection, which keeps what it is notified of.
final class RecordingOwner: ServerConnectionOwner, Sendable {
  enum Event: Sendable, Equatable {
    case opened
    case received(String)
    case life
    case ended(ConnectionEnd)
  }

  private let kept = Mutex<[Event]>([])

  var events: [Event] { kept.withLock { $0 } }

  func connectionDidOpen(_ connection: any ServerConnection) { keep(.opened) }

  func connection(_ connection: any ServerConnection, received text: [UInt8]) {
    keep(.received(String(decoding: text, as: UTF8.self)))
  }

  func connectionShowedLife(_ connection: any ServerConnection) { keep(.life) }

  func connection(_ connection: any ServerConnection, ended end: ConnectionEnd) {
    keep(.ended(end))
  }

  private func keep(_ event: Event) { kept.withLock { $0.append(event) } }
}
