package import HTTP
import Reactor
import Streams

/// An unanswered request with its connection, on the way to another event loop of the process.
///
/// `@unchecked Sendable` is sound because its connection has left its loop, and one other takes it over.
package final class MovingRequest: @unchecked Sendable {
  package let request: HTTPRequest
  fileprivate let held: [UInt8]
  private var socket: SocketStream
  private let tag: Int
  private let pool: SocketPool
  fileprivate let peer: ProxiedPeer?

  fileprivate init(_ pending: PendingRequest, on connection: Connection) {
    request = pending.request
    held = pending.held
    tag = connection.listenerTag
    pool = connection.admission.pool
    peer = connection.proxiedPeer
    socket = connection.endWithoutSocket()
  }

  deinit {
    socket.closeWithoutLoop()
  }

  /// Makes a connection of another loop.
  fileprivate func arrive(at transport: Transport) -> Connection {
    var socket = SocketStream()
    swap(&socket, &self.socket)
    return Connection.insert(socket, tag: tag, pool: pool, into: transport)
  }
}

extension Transport {
  /// Removes an unanswered request with its connection, to be answered on another event loop.
  ///
  /// The work for the request is not abandoned.
  ///
  /// - Returns: `nil` when the client is gone.
  package func remove(_ id: Exchange.ID) -> MovingRequest? {
    guard let connection = connection(awaiting: id), case .answering(let pending) = connection.stage
    else { return nil }
    return MovingRequest(pending, on: connection)
  }

  /// Takes over a request with its connection.
  ///
  /// - Parameter onAbandonment: Called when the request no longer needs an answer.
  /// - Returns: `nil` when its connection cannot be kept.
  package func insert(
    _ moving: MovingRequest, onAbandonment: @escaping (Exchange.ID) -> Void
  ) -> Exchange? {
    moving.arrive(at: self).answerLater(moving, onAbandonment)
  }
}

extension Connection {
  fileprivate func answerLater(
    _ moving: MovingRequest, _ onAbandonment: @escaping (Exchange.ID) -> Void
  ) -> Exchange? {
    guard takeOverSocket(from: moving.peer) else { return nil }
    let exchange = exchange(moving.request)
    let pending = PendingRequest(
      exchange: exchange.number, request: moving.request, held: moving.held,
      onAbandonment: { [id = exchange.id] in onAbandonment(id) })
    enter(.answering(pending))
    if pending.held.count > PendingRequest.maximumHeldBytes { stopReading() }
    if queuedByteCount > 0 { scheduleFlush() }
    accountRequest()
    return exchange
  }
}
