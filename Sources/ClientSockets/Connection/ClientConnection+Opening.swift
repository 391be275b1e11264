internal import ClientTransport
internal import HTTP
internal import Reactor
internal import Streams

/// Opening a connection, step by step.
extension ClientConnection {
  /// Starts to connect.
  ///
  /// The owner is notified of the outcome later, never before this method returns.
  package func start() {
    setTimer(after: plan.attemptTimeout)
    let hop = plan.firstHop
    if let address = SocketAddress(host: hop.host, port: hop.port) {
      // Always reported later, so that an owner is never called back while it starts a connection.
      connect(to: AddressAttempts([address]))
    } else {
      resolve(hop.host, hop.port)
    }
  }

  private func resolve(_ host: String, _ port: UInt16) {
    let bound = LoopBound(self)
    let post = context.poster
    context.resolver.resolve(host, port: port) { outcome in
      post { _ in bound.value.didResolve(outcome) }
    }
  }

  private func didResolve(_ outcome: NameResolver.Outcome) {
    guard case .resolving = stage else { return }
    switch outcome {
    case .success(let addresses): connect(to: AddressAttempts(addresses))
    case .failure(let failure): end(.temporary, failure.reason)
    }
  }

  private func connect(to attempts: AddressAttempts) {
    var attempts = attempts
    while let address = attempts.next() {
      do throws(SystemError) {
        stream = SocketStream(try Socket.connect(to: address, from: local))
        try stream.watch(for: .writable, on: context.loop, handler: self)
        stage = .connecting(attempts)
        setTimer(after: attempts.share(of: attemptRemainder))
        return
      } catch {
        closeSocket()
        attempts.fail(error.description)
      }
    }
    stage = .connecting(attempts)
    failLater(attempts.explanation)
  }

  private func failLater(_ reason: String) {
    let bound = LoopBound(self)
    context.poster { _ in bound.value.end(.temporary, reason) }
  }

  func addressTookTooLong() {
    guard case .connecting(var attempts) = stage else { return }
    closeSocket()
    attempts.fail("connect \(attempts.current?.description ?? ""): no answer in time")
    connect(to: attempts)
  }

  /// Handles the result of connecting the socket.
  func didConnect() {
    guard case .connecting(var attempts) = stage else { return }
    let code = Socket.pendingError(stream.descriptor)
    guard code == 0 else {
      closeSocket()
      let object = attempts.current?.description ?? ""
      attempts.fail(SystemError(call: "connect", code: code, object: object).description)
      return connect(to: attempts)
    }
    setTimer(after: attemptRemainder)
    setInterest(.readable)
    guard let proxy = plan.proxy else { return didReachServer() }
    let tunnel = ProxyTunnel(to: plan.server, through: proxy)
    stage = .tunnelling(tunnel)
    write(tunnel.request)
  }

  /// Continues once bytes go to the server itself.
  func didReachServer() {
    switch plan.server.security {
    case .plain: open()
    case .tls: secure()
    }
  }

  private func secure() {
    stage = .securing
    do throws(TLSError) {
      let trust = TLSTrust(plan.tls)
      let session = try TLSSession(
        client: try context.tlsContext(trust),
        hostname: plan.tls.serverName ?? plan.server.host)
      stream.secure(with: session)
      try stream.startHandshake(using: context.resources)
      scheduleFlush()
    } catch {
      end(ConnectionFailure(error))
    }
  }

  /// Starts the WebSocket or the request once the server is reached, over TLS if required.
  func open() {
    guard let request else { return upgrade() }
    setTimer(after: request.timeout)
    stage = .requesting(request)
    write(request.bytes)
  }

  /// Reports parts of the response, whose receiver may drop this connection.
  func report(_ parts: [ResponsePart]) {
    for part in parts {
      guard case .requesting = stage, let request else { return }
      switch part {
      case .head, .body: request.deliver(part)
      case .end:
        drop()
        request.deliver(part)
      case .failed(let failure): end(failure)
      }
    }
  }

  private func upgrade() {
    let nonce = (0..<16).map { _ in UInt8.random(in: 0...255) }
    let exchange = UpgradeExchange(plan, nonce: nonce)
    stage = .upgrading(exchange)
    if let limit = plan.handshakeTimeout { setTimer(after: min(limit, attemptRemainder)) }
    write(exchange.request)
  }

  func didUpgrade(_ acceptance: ClientHandshake.Acceptance) {
    cancelTimer()
    endpoint = WebSocketEndpoint(
      role: .client(maskingKey: { .random(in: 0...UInt32.max) }),
      limits: WebSocketLimits(messageBytes: plan.maximumMessageBytes),
      compression: acceptance.compression)
    stage = .open
    owner?.connectionDidOpen(self)
  }
}

extension ConnectionPlan {
  /// The host and port to which the socket connects: the proxy's, if there is one.
  var firstHop: (host: String, port: UInt16) {
    proxy.map { ($0.host, $0.port) } ?? (server.host, server.port)
  }
}

extension TLSTrust {
  init(_ settings: TLSSettings) {
    self.init(
      verification: settings.verification == .full ? .full : .none,
      authorityPaths: settings.authorityPaths, authorityTexts: settings.authorityTexts)
  }
}

extension ConnectionFailure {
  /// Classifies a failed TLS handshake; whether a retry may succeed depends on the side at fault.
  init(_ error: TLSError) {
    switch error {
    case .truncated, .internalFailure: self.init(.temporary, error.description)
    case .unusableFile, .keyDoesNotMatch, .invalidSetting, .plainHTTP, .protocolViolation,
      .alertReceived, .certificateRejected, .notEstablished:
      self.init(.lasting, error.description)
    }
  }
}
