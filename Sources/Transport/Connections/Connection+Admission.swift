import Reactor
import Streams

/// The admission of a connection: its count under the client's address, and whether it may be closed to
/// make room for others.
extension Connection {
  /// Takes over an accepted socket.
  static func open(
    descriptor: Int32, tls: TLSSession?, proxyHeader: ProxyHeaderPolicy = .none, tag: Int,
    pool: SocketPool = .clients, transport: Transport
  ) throws(SystemError) {
    let connection = insert(
      SocketStream(descriptor, tls: tls), tag: tag, pool: pool, into: transport)
    do throws(SystemError) {
      try connection.watchSocket()
    } catch {
      transport.connections.remove(connection.id)
      throw error
    }
    connection.becomeSheddable()
    connection.awaitHead()
    switch proxyHeader {
    case .none: connection.dropIfRefused(connection.enterAddress())
    case .required(let trusted):
      guard !connection.awaitProxyHeader(from: trusted) else { break }
      transport.delegate?.connection(
        connection, lacksProxyHeader: "the peer is not a trusted proxy")
      connection.drop()
    }
  }

  /// Makes a connection of a socket that is not watched yet.
  static func insert(
    _ socket: consuming SocketStream, tag: Int, pool: SocketPool, into transport: Transport
  ) -> Connection {
    let id = transport.connections.reserve(descriptor: socket.descriptor)
    let connection = Connection(
      id: id, stream: socket, tag: tag, pool: pool, transport: transport)
    transport.connections.insert(connection)
    return connection
  }

  func watchSocket() throws(SystemError) {
    try stream.watch(for: .readable, on: transport.loop, handler: self)
  }

  /// Admits a connection that takes over the socket of another one, with a request that has been read.
  ///
  /// - Returns: Whether the connection continues.
  func takeOverSocket(from peer: ProxiedPeer?) -> Bool {
    if let peer { note(peer) }
    do throws(SystemError) {
      try watchSocket()
    } catch {
      drop()
      return false
    }
    becomeSheddable()
    guard !dropIfRefused(enterAddress()) else { return false }
    markOpened()
    return true
  }

  /// Takes the socket away, with the bytes waiting for it.
  func giveUpSocket() -> SocketStream {
    var socket = SocketStream()
    swap(&socket, &stream)
    socket.unwatch(on: transport.loop)
    account()
    return socket
  }

  /// Ends the connection, except for its socket and the work for its request.
  func endWithoutSocket() -> SocketStream {
    let socket = giveUpSocket()
    enter(.lingering)
    drop()
    return socket
  }

  /// Ends the connection when its address has too many connections.
  ///
  /// - Returns: Whether the connection was ended.
  @discardableResult
  func dropIfRefused(_ refusal: ExceededAddressLimit?) -> Bool {
    guard let refusal else { return false }
    transport.counters.refusedByAddress += 1
    transport.delegate?.connection(self, isRefused: refusal)
    drop()
    return true
  }

  /// Records that a session was opened on the WebSocket.
  ///
  /// The connection then counts as opened, and is not closed to make room for others.
  package func sessionDidOpen() {
    markOpened()
    stopBeingSheddable()
  }

  /// Counts the connection under its client's address as one without an open session.
  ///
  /// Called for an upgrade request, which is refused unless the result is `nil`.
  package func awaitSession() -> ExceededAddressLimit? {
    guard let register, let address = countedAddress else { return nil }
    return admission.reenter(address, in: register)
  }

  /// Counts the connection under the address of its peer, or of the client that a proxy reported.
  ///
  /// A trusted proxy itself is not counted, because it has connections for many clients.
  func enterAddress() -> ExceededAddressLimit? {
    guard let register, let address = countedAddress else { return nil }
    return admission.enter(address, in: register)
  }

  func markOpened() {
    if let register { admission.open(in: register) }
  }

  func leaveAddress() {
    if let register { admission.leave(register) }
  }

  /// Allows the connection to be closed to make room when it has been silent longest.
  func becomeSheddable() {
    admission.becomeSheddable(id.slot, in: &transport.silence, at: transport.loop.now)
  }

  func stopBeingSheddable() {
    admission.stopBeingSheddable(id.slot, in: &transport.silence)
  }

  /// Records that bytes were received or sent.
  func noteLife() {
    guard admission.isSheddable else { return }
    admission.noteLife(of: id.slot, in: &transport.silence, at: transport.loop.now)
  }

  private var register: AddressRegister? { transport.configuration.addresses }

  /// The client's address; `nil` when a trusted proxy did not name the client.
  private var countedAddress: PeerAddress? {
    if let events { return events.client }
    if let proxiedPeer { return proxiedPeer.forwarded ?? proxiedPeer.announced }
    guard let peer = proxiedAddress,
      transport.configuration.forwarding?.trusted.contains(peer) != true
    else { return nil }
    return peer
  }
}
