internal import ClientTransport
internal import Foundation
#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The part of `URLSessionWebSocketTask` that a connection uses.
///
/// Tests replace it: Foundation on Linux has no WebSocket unless it was built with a recent libcurl.
protocol SocketTask: AnyObject {
  /// Sends a text message, and reports that it was written or could not be.
  func send(text: String, completion: @escaping @Sendable (_ hasFailed: Bool) -> Void)
  /// Receives one message.
  func receiveNext(_ completion: @escaping @Sendable (SocketMessage) -> Void)
  /// Sends a ping, and reports its pong if there is one.
  func ping(_ pong: @escaping @Sendable () -> Void)
  /// Sends a close frame and ends.
  func close(_ code: UInt16)
  func cancel()
}

/// The result of receiving, as a value that can be passed to the lane.
enum SocketMessage: Sendable {
  case text([UInt8])
  case binary
  case failed(ConnectionFailure)
}

extension URLSessionWebSocketTask: SocketTask {
  func send(text: String, completion: @escaping @Sendable (_ hasFailed: Bool) -> Void) {
    send(.string(text)) { completion($0 != nil) }
  }

  func receiveNext(_ completion: @escaping @Sendable (SocketMessage) -> Void) {
    receive { result in
      switch result {
      case .success(.string(let text)): completion(.text(Array(text.utf8)))
      case .success: completion(.binary)
      case .failure(let error): completion(.failed(ConnectionFailure(receiving: error)))
      }
    }
  }

  func ping(_ pong: @escaping @Sendable () -> Void) {
    sendPing { error in
      if error == nil { pong() }
    }
  }

  func close(_ code: UInt16) {
    guard let code = CloseCode(rawValue: Int(code)) else { return cancel() }
    cancel(with: code, reason: nil)
  }
}
