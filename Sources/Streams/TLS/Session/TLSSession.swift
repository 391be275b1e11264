internal import COpenSSL

/// One TLS connection in memory: ciphertext in, ciphertext out, without a socket.
///
///     peer ── ciphertext ──► receive ──► plaintext
///     peer ◄── scratch.outgoing ◄── send ◄── plaintext
///
/// Every call may add ciphertext to ``TLSScratch/outgoing``, even one that throws (then it is the alert
/// with the reason); the caller sends it in order. After an error the session only repeats that error.
/// Confined to one event loop, whose scratch memory it borrows.
package final class TLSSession {
  let ssl: OpaquePointer
  /// Empty for a server.
  let hostname: String
  /// Keeps the objects alive that OpenSSL's callbacks point to.
  private let context: AnyObject
  private var state: State = .handshaking

  private enum State {
    case handshaking
    case established
    case closedByPeer
    case failed(TLSError)
  }

  /// Starts a server's session; the client sends first.
  ///
  /// - Throws: ``TLSError/internalFailure(_:)`` when there is no memory.
  package init(server context: TLSServerContext) throws(TLSError) {
    ssl = try Self.makeSession(context.handle)
    self.context = context
    hostname = ""
    SSL_set_accept_state(ssl)
  }

  /// Starts a client's session; ``startHandshake(scratch:)`` makes the first message.
  ///
  /// - Parameters:
  ///   - hostname: The host name or IP address for which the server's certificate must be issued. A name
  ///     is also sent as SNI.
  ///   - resumption: The state of an earlier session; used only if it was with the same host.
  /// - Throws: ``TLSError/invalidSetting(_:)`` for an invalid name.
  package init(
    client context: TLSClientContext, hostname: String, resuming resumption: TLSResumption? = nil
  ) throws(TLSError) {
    ssl = try Self.makeSession(context.handle)
    self.context = context
    self.hostname = hostname
    SSL_set_connect_state(ssl)
    try PeerName(hostname).require(of: ssl)
    if let resumption, resumption.hostname == hostname {
      SSL_set_session(ssl, resumption.session)
    }
  }

  deinit {
    SSL_free(ssl)
  }

  private static func makeSession(_ context: ContextHandle) throws(TLSError) -> OpaquePointer {
    ErrorQueue.clear()
    guard let ssl = SSL_new(context.pointer) else {
      throw .internalFailure(ErrorQueue.drainText())
    }
    return ssl
  }

  /// Whether the handshake is complete and no error occurred since.
  package var isEstablished: Bool {
    switch state {
    case .established, .closedByPeer: true
    case .handshaking, .failed: false
    }
  }

  /// Writes a client's first message to `scratch`.
  package func startHandshake(scratch: TLSScratch) throws(TLSError) {
    try attach(scratch)
    try handshake()
  }

  /// Consumes all of `ciphertext`, drives the handshake and appends decrypted data.
  ///
  /// - Parameters:
  ///   - ciphertext: Bytes from the peer, split anywhere. Not kept.
  ///   - plaintext: Grows by less than `ciphertext.count` plus one record of 16 KiB.
  ///   - scratch: Its ``TLSScratch/outgoing`` grows by handshake messages, key updates and alerts.
  /// - Returns: `.closedByPeer` after the peer's `close_notify`; later input is ignored.
  /// - Throws: The error that ended the session. Plaintext from before the error has been appended.
  package func receive(
    _ ciphertext: UnsafeRawBufferPointer, plaintext: inout [UInt8], scratch: TLSScratch
  ) throws(TLSError) -> TLSProgress {
    try attach(scratch)
    return try scratch.lend(ciphertext) { () throws(TLSError) in
      if case .handshaking = state { try handshake() }
      if case .established = state { try decrypt(into: &plaintext, through: scratch.record) }
      return progress
    }
  }

  /// Encrypts all of `plaintext` into `scratch`; never blocks, because it only uses memory.
  ///
  /// Adds at most 30 bytes for each 16 KiB, and allocates nothing except for the growth of the scratch.
  ///
  /// - Throws: ``TLSError/notEstablished`` before the handshake is complete and after
  ///   ``close(scratch:)``, otherwise the error that ended the session.
  package func send(
    _ plaintext: UnsafeRawBufferPointer, scratch: TLSScratch
  ) throws(TLSError) {
    try attach(scratch)
    guard isEstablished, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else {
      throw .notEstablished
    }
    guard plaintext.count > 0 else { return }
    var written = 0
    let outcome = SSL_write_ex(ssl, plaintext.baseAddress, plaintext.count, &written)
    guard outcome == 1 else { throw fail(after: outcome) }
  }

  /// Sends `close_notify` once; does nothing when the session is not established.
  package func close(scratch: TLSScratch) throws(TLSError) {
    try attach(scratch)
    guard isEstablished, SSL_get_shutdown(ssl) & SSL_SENT_SHUTDOWN == 0 else { return }
    // OpenSSL refuses to send while the peer is in the middle of a message such as a key update.
    guard SSL_in_init(ssl) == 0 else { return }
    let outcome = SSL_shutdown(ssl)
    guard outcome >= 0 else { throw fail(after: outcome) }
  }

  /// Records that the transport has ended.
  ///
  /// - Throws: ``TLSError/truncated`` unless the peer had sent `close_notify`, or the error that ended
  ///   the session earlier.
  package func receiveEnd() throws(TLSError) {
    switch state {
    case .closedByPeer: return
    case .failed(let error): throw error
    case .handshaking, .established:
      state = .failed(.truncated)
      throw .truncated
    }
  }

  private func attach(_ scratch: TLSScratch) throws(TLSError) {
    if case .failed(let error) = state { throw error }
    ErrorQueue.clear()
    guard copenssl_attach(ssl, scratch.bio) == 1 else {
      throw .internalFailure("a reference count overflowed")
    }
  }

  private func handshake() throws(TLSError) {
    let outcome = SSL_do_handshake(ssl)
    if outcome == 1 {
      state = .established
    } else if SSL_get_error(ssl, outcome) != SSL_ERROR_WANT_READ {
      throw fail(after: outcome)
    }
  }

  private func decrypt(
    into plaintext: inout [UInt8], through record: UnsafeMutableBufferPointer<UInt8>
  ) throws(TLSError) {
    while true {
      var count = 0
      let outcome = SSL_read_ex(ssl, record.baseAddress, record.count, &count)
      if outcome == 1 {
        plaintext.append(contentsOf: UnsafeBufferPointer(rebasing: record[..<count]))
        continue
      }
      switch SSL_get_error(ssl, outcome) {
      case SSL_ERROR_WANT_READ: return
      case SSL_ERROR_ZERO_RETURN:
        state = .closedByPeer
        return
      default: throw fail(after: outcome)
      }
    }
  }

  /// Ends the session with the error in the queue.
  private func fail(after outcome: Int32) -> TLSError {
    let error = FailureReading(ssl: ssl, outcome: outcome).error
    state = .failed(error)
    return error
  }

  private var progress: TLSProgress {
    switch state {
    case .established: .established
    case .closedByPeer: .closedByPeer
    case .handshaking, .failed: .handshaking
    }
  }
}

/// The state of a session.
package enum TLSProgress: Equatable, Sendable {
  /// The handshake needs more data from the peer.
  case handshaking
  /// Plaintext flows both ways.
  case established
  /// The peer sent `close_notify`: it sends nothing more, but bytes sent to it may still arrive.
  case closedByPeer
}

/// A protocol version that Parley supports.
package enum TLSVersion: Equatable, Sendable {
  /// RFC 5246.
  case tls12
  /// RFC 8446.
  case tls13
}
