internal import ClientTransport
internal import HTTP
package import Reactor
internal import Streams

extension ClientConnection: ReadinessHandler {
  package func descriptorIsReady(for readiness: Readiness) {
    if case .connecting = stage { return didConnect() }
    if readiness.contains(.writable) { flush() }
    // Writing may have closed the connection, and its descriptor number may have been reused.
    if case .closed = stage { return }
    if readiness.contains(.readable) {
      receive(into: context.resources.readBuffer)
    } else if !readiness.isDisjoint(with: .hangup) {
      socketDidEnd(because: "the connection was reset")
    }
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) {
    if local.acknowledgement == .delayed { Socket.delayAcknowledgement(stream.descriptor) }
    switch stream.receive(into: buffer) {
    case .wouldBlock: break
    case .ended: socketDidEnd(because: "the server ended the connection")
    case .failed(let code):
      socketDidEnd(because: SystemError(call: "recv", code: code).description)
    case .transferred(let count):
      owner?.connectionShowedLife(self)
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      if var decryption = stream.decrypt(bytes, using: context.resources) {
        process(&decryption)
      } else {
        process(bytes)
      }
    }
  }

  func socketDidEnd(because reason: String) {
    switch stage {
    case .closing, .closed: drop()
    case .open: end(.lost, reason)
    case .tunnelling: end(.temporary, "within the proxy's answer: \(reason)")
    case .securing: end(.temporary, "within the TLS handshake: \(reason)")
    case .upgrading(var exchange): end(exchange.receiveEnd(because: reason))
    case .requesting(var exchange): report(exchange.receiveEnd(because: reason))
    case .resolving, .connecting: end(.temporary, reason)
    }
  }

  private func process(_ decryption: inout SocketStream.Decryption) {
    defer { context.resources.recycle(&decryption.plaintext) }
    if decryption.hasReply { scheduleFlush() }
    if case .securing = stage, stream.isEstablished { open() }
    decryption.plaintext.withUnsafeBytes { process($0) }
    switch decryption.result {
    case .success(.closedByPeer): socketDidEnd(because: "the server ended TLS")
    case .success: break
    case .failure(let error): brokeTLS(error)
    }
  }

  private func brokeTLS(_ error: TLSError) {
    // The alert with the reason should reach the server.
    flush()
    switch stage {
    case .closing, .closed: drop()
    case .open: end(.lost, error.description)
    case .resolving, .connecting, .tunnelling, .securing, .upgrading, .requesting:
      end(ConnectionFailure(error))
    }
  }

  /// Handles decrypted bytes; bytes after a step's end belong to the next step.
  private func process(_ bytes: UnsafeRawBufferPointer) {
    var offset = 0
    do throws(ConnectionFailure) {
      while offset < bytes.count {
        let input = UnsafeRawBufferPointer(rebasing: bytes[offset...])
        guard let consumed = try processStep(input) else { return }
        offset += consumed
      }
    } catch {
      end(error)
    }
  }

  /// - Returns: The number of bytes up to the next step; `nil` if all were consumed.
  private func processStep(_ input: UnsafeRawBufferPointer) throws(ConnectionFailure) -> Int? {
    let span = input.assumingMemoryBound(to: UInt8.self).span
    switch stage {
    case .tunnelling(var tunnel):
      let consumed = try tunnel.receive(span)
      if consumed == nil { stage = .tunnelling(tunnel) } else { didReachServer() }
      return consumed
    case .upgrading(var exchange):
      guard let (acceptance, consumed) = try exchange.receive(span) else {
        stage = .upgrading(exchange)
        return nil
      }
      didUpgrade(acceptance)
      return consumed
    case .requesting(var exchange):
      let parts = try exchange.receive(span)
      stage = .requesting(exchange)
      report(parts)
      return nil
    case .open:
      receiveFrames(span)
      return nil
    case .securing:
      throw ConnectionFailure(.lasting, "the proxy sent something before TLS began")
    case .resolving, .connecting, .closing, .closed: return nil
    }
  }

  private func receiveFrames(_ input: Span<UInt8>) {
    var offset = 0
    let owner = owner
    while offset < input.count {
      // Nearly every message arrives whole: it is passed on without a copy.
      while let text = endpoint?.wholeText(in: input, from: offset) {
        offset = text.upperBound
        owner?.connection(self, received: input.extracting(text))
      }
      guard offset < input.count, let count = receiveNext(input.extracting(offset...)) else {
        return
      }
      offset += count
    }
  }

  /// Handles input that is not a whole text message; `nil` when reading stops.
  private func receiveNext(_ input: Span<UInt8>) -> Int? {
    var output = context.output
    context.output = WebSocketOutput()
    defer {
      output.removeAll()
      context.output = output
    }
    guard let count = endpoint?.receiveNext(input, using: context.deflate, into: &output) else {
      return nil
    }
    if !output.bytes.isEmpty { write(output.bytes) }
    for event in output.events { handle(event) }
    return count
  }

  private func handle(_ event: WebSocketEvent) {
    guard case .open = stage else { return }
    switch event {
    case .text(let bytes): owner?.connection(self, received: bytes.span)
    case .binary: fail(.protocolViolation, .unsupportedData, "the server sent a binary message")
    case .ping, .pong: break
    case .closed(let code, let reason):
      linger()
      report(.closedByPeer(code: code?.rawValue, reason: reason))
    case .failed(let error):
      linger()
      report(.failed(ConnectionFailure(error)))
    }
  }

  /// Closes a connection whose server violates the protocol.
  private func fail(_ kind: ConnectionFailure.Kind, _ code: CloseCode, _ reason: String) {
    report(.failed(ConnectionFailure(kind, reason)))
    close(code)
  }
}

extension ConnectionFailure {
  /// An error of a stream that can no longer be parsed.
  init(_ error: WebSocketError) {
    if case .messageTooLarge = error {
      self.init(.messageTooLarge, error.description)
    } else {
      self.init(.protocolViolation, error.description)
    }
  }
}
