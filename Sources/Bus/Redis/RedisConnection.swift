internal import Basics
internal import Reactor
internal import Streams

/// A receiver of a connection's events; it may close the connection while it is called.
protocol RedisConnectionOwner: AnyObject {
  /// Commands can be sent; the password, if any, has already been sent.
  func connectionDidOpen(_ connection: RedisConnection)
  func connection(_ connection: RedisConnection, received reply: RedisReply)
  /// Reports the end of the connection, once, unless the owner closed it.
  func connection(_ connection: RedisConnection, failed reason: String)
}

/// A connection to a Redis server: name look-up, socket, TLS, authentication, commands, replies.
///
///     resolving ─► connecting ─► securing ─► open ─► closed
///                                 (TLS)
///
/// The connection has no timeout: its owner closes it if it takes too long. Confined to its loop.
final class RedisConnection {
  private enum Stage {
    case resolving
    case connecting(AddressAttempts)
    /// The TLS handshake is in progress.
    case securing
    case open
    case closed
  }

  private let address: RedisAddress
  private let tls: TLSClientContext?
  private let context: BusLoop
  private weak var owner: (any RedisConnectionOwner)?
  private var stage = Stage.resolving
  private var stream = SocketStream()
  private let reader = RedisReader()
  private var awaitsAuthentication = false

  init(
    _ address: RedisAddress, tls: TLSClientContext?, on context: BusLoop,
    owner: any RedisConnectionOwner
  ) {
    self.address = address
    self.tls = tls
    self.context = context
    self.owner = owner
  }

  // A loop that ends drops its connections without closing them individually.
  deinit { stream.closeWithoutLoop() }

  /// The number of queued output bytes.
  var queuedByteCount: Int { stream.queuedByteCount }

  /// Whether commands can be sent.
  var isOpen: Bool {
    if case .open = stage { true } else { false }
  }

  /// Appends a command; it is written at the next ``flush()``.
  func send(_ arguments: [[UInt8]]) {
    guard case .open = stage else { return }
    RedisCommand.encode(arguments) { stream.append($0) }
  }

  /// Writes queued bytes, as far as the kernel accepts them.
  func flush() {
    switch stage {
    case .resolving, .connecting, .closed: return
    case .securing, .open: break
    }
    var writes = SocketStream.Writes()
    switch stream.flush(&writes, using: context.resources, departing: { _, _ in }) {
    case .flushed: setInterest(.readable)
    case .blocked: setInterest([.readable, .writable])
    case .failed(let code): fail(SystemError(call: "send", code: code).description)
    case .brokeTLS(let error): fail(error.description)
    }
  }

  /// Closes the connection; its owner receives no further events.
  func close() {
    stage = .closed
    owner = nil
    stream.close(on: context.loop)
  }

  private func fail(_ reason: String) {
    let owner = owner
    close()
    owner?.connection(self, failed: reason)
  }

  private func setInterest(_ wanted: Readiness) {
    do throws(SystemError) {
      try stream.setInterest(wanted, on: context.loop)
    } catch {
      fail(error.description)
    }
  }
}

/// The steps to an open connection.
extension RedisConnection {
  /// Starts to connect; the outcome is reported to the owner later, never before this returns.
  func start(resolver: NameResolver) {
    let (bound, jobs) = (LoopBound(self), context.jobs)
    switch address.endpoint.host {
    case .address(let host):
      let addresses = [SocketAddress(host, port: address.endpoint.port)]
      jobs.post { bound.value.didResolve(.success(addresses)) }
    case .name(let name):
      resolver.resolve(name, port: address.endpoint.port) { outcome in
        jobs.post { bound.value.didResolve(outcome) }
      }
    }
  }

  private func didResolve(_ outcome: NameResolver.Outcome) {
    guard case .resolving = stage else { return }
    switch outcome {
    case .success(let addresses): connect(to: AddressAttempts(addresses))
    case .failure(let failure): fail(failure.reason)
    }
  }

  private func connect(to attempts: AddressAttempts) {
    var attempts = attempts
    while let next = attempts.next() {
      do throws(SystemError) {
        stream = SocketStream(try Socket.connect(to: next))
        try stream.watch(for: .writable, on: context.loop, handler: self)
        stage = .connecting(attempts)
        return
      } catch {
        stream.close(on: context.loop)
        attempts.fail(error.description)
      }
    }
    fail(attempts.explanation)
  }

  private func didConnect(_ attempts: AddressAttempts) {
    let code = Socket.pendingError(stream.descriptor)
    guard code == 0 else {
      var attempts = attempts
      let object = attempts.current?.description ?? ""
      attempts.fail(SystemError(call: "connect", code: code, object: object).description)
      stream.close(on: context.loop)
      return connect(to: attempts)
    }
    guard let tls else { return didOpen() }
    stage = .securing
    do throws(TLSError) {
      stream.secure(with: try TLSSession(client: tls, hostname: address.certificateName))
      try stream.startHandshake(using: context.resources)
      flush()
    } catch {
      fail(error.description)
    }
  }

  private func didOpen() {
    stage = .open
    if let credentials = address.credentials {
      awaitsAuthentication = true
      let user = credentials.user.isEmpty ? [] : [credentials.user]
      send([Array("AUTH".utf8)] + user + [credentials.password])
    }
    owner?.connectionDidOpen(self)
    flush()
  }
}

extension RedisConnection: ReadinessHandler {
  func descriptorIsReady(for readiness: Readiness) {
    if case .connecting(let attempts) = stage { return didConnect(attempts) }
    if readiness.contains(.writable) { flush() }
    // Writing may have closed the connection, and its descriptor may already be reused.
    if case .closed = stage { return }
    if readiness.contains(.readable) || !readiness.isDisjoint(with: .hangup) { receive() }
  }

  private func receive() {
    switch stream.receive(into: context.resources.readBuffer) {
    case .wouldBlock: return
    case .ended: fail("the server ended the connection")
    case .failed(let code): fail(SystemError(call: "recv", code: code).description)
    case .transferred(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: context.resources.readBuffer[..<count])
      if var decryption = stream.decrypt(bytes, using: context.resources) {
        receive(&decryption)
      } else {
        read(bytes)
      }
    }
  }

  private func receive(_ decryption: inout SocketStream.Decryption) {
    defer { context.resources.recycle(&decryption.plaintext) }
    if case .securing = stage, stream.isEstablished { didOpen() }
    if decryption.hasReply { flush() }
    decryption.plaintext.withUnsafeBytes { read($0) }
    switch decryption.result {
    case .success(.handshaking), .success(.established): break
    case .success(.closedByPeer): fail("the server ended TLS")
    case .failure(let error): fail(error.description)
    }
  }

  private func read(_ bytes: UnsafeRawBufferPointer) {
    guard case .open = stage, !bytes.isEmpty else { return }
    do throws(RedisReader.Failure) {
      try reader.receive(bytes) { take($0) }
    } catch {
      fail("the server does not speak Redis' protocol: \(error.reason)")
    }
  }

  private func take(_ reply: RedisReply) {
    // An earlier reply may have closed the connection.
    guard case .open = stage else { return }
    guard awaitsAuthentication else {
      owner?.connection(self, received: reply)
      return
    }
    awaitsAuthentication = false
    guard !reply.reads("OK") else { return }
    // Does not quote the server, which may repeat the password.
    if case .error(let text) = reply, text.hasPrefix("LOADING") || text.hasPrefix("MASTERDOWN") {
      return fail(RedisRefusal(text).reason)
    }
    fail("the server refuses the user name or the password")
  }
}
