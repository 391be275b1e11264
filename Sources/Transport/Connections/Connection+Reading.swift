import HTTP
package import Reactor
import Streams

extension Connection: ReadinessHandler {
  package func descriptorIsReady(for readiness: Readiness) {
    if readiness.contains(.writable) { flush() }
    // Writing may have ended the connection, and its descriptor number may already be reused.
    if descriptor < 0 { return }
    if readiness.contains(.readable) {
      if !awaitsBodyTurn() { receive() }
    } else if !readiness.isDisjoint(with: .hangup) {
      dropSocket()
    }
  }

  /// Defers a body to the end of the loop's turn, and returns whether it did.
  ///
  /// Otherwise, when hundreds of uploads are readable, messages would wait for all of them.
  private func awaitsBodyTurn() -> Bool {
    guard case .receiving(var body) = stage else { return false }
    guard body.wait == .none else { return true }
    enter(.lingering)
    body.wait = .forTurn
    enter(.receiving(body))
    transport.bodyIsReadable(self)
    return true
  }

  /// Reads a body in its turn.
  ///
  /// - Parameter reads: The maximum number of reads; another one follows only after a full buffer.
  func receiveBodyTurn(reads: Int) {
    guard case .receiving(var body) = stage, body.wait == .forTurn else { return }
    enter(.lingering)
    body.wait = .none
    enter(.receiving(body))
    for _ in 0..<reads {
      guard !isReadingPaused, receive(), case .receiving = stage else { return }
    }
  }

  /// Reads once and handles the received bytes.
  ///
  /// - Returns: Whether more may be available, because the buffer was full.
  @discardableResult
  private func receive() -> Bool {
    let buffer = transport.resources.readBuffer
    switch stream.receive(into: buffer) {
    case .transferred(let count):
      transport.counters.bytesReceived += count
      noteInput()
      noteLife()
      take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return count == buffer.count
    case .wouldBlock: break
    case .ended: peerDidEnd()
    case .failed: dropSocket()
    }
    return false
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    var bytes = bytes
    if case .proxyHeader(let parser) = stage {
      guard let rest = receiveProxyHeader(bytes, parser), !rest.isEmpty else { return }
      bytes = rest
      noteInput()
    }
    if var decryption = stream.decrypt(bytes, using: transport.resources) {
      process(&decryption)
    } else {
      process(bytes)
    }
    accountRequest()
  }

  private func process(_ decryption: inout SocketStream.Decryption) {
    defer { transport.resources.recycle(&decryption.plaintext) }
    if decryption.hasReply { scheduleFlush() }
    switch decryption.result {
    case .success(let progress):
      decryption.plaintext.withUnsafeBytes { process($0) }
      if progress == .closedByPeer { peerDidEnd() }
    case .failure(let error):
      transport.delegate?.connection(self, brokeTLS: "\(error)")
      isStream ? dropSocket() : end()
    }
  }

  /// Handles decrypted bytes; input after an upgrade belongs to the WebSocket.
  func process(_ bytes: UnsafeRawBufferPointer) {
    var rest = bytes[...]
    while true {
      let input = UnsafeRawBufferPointer(rebasing: rest)
      switch stage {
      case .http(var parser):
        guard let consumed = receiveRequest(input, &parser) else { return }
        rest = rest.dropFirst(consumed)
      case .receiving(var body):
        guard let consumed = receiveBody(input, &body) else { return }
        rest = rest.dropFirst(consumed)
      case .answering(var pending):
        hold(input, behind: &pending)
        return
      case .sending(let outgoing):
        hold(input, behind: outgoing)
        return
      case .webSocket, .closing:
        receiveFrames(input)
        return
      case .proxyHeader, .eventStream, .endedStream, .departing, .lingering, .closed:
        return
      }
    }
  }

  /// Handles frames message by message, so that an answer is sent before the next message takes effect.
  func receiveFrames(_ input: UnsafeRawBufferPointer) {
    var output = transport.output
    transport.output = WebSocketOutput()
    let bytes = input.assumingMemoryBound(to: UInt8.self)
    var offset = 0
    while offset < bytes.count,
      let count = endpoint?.receiveNext(
        bytes.span.extracting(offset...), using: transport.deflate, into: &output)
    {
      offset += count
      if case .closed(let code, _)? = output.events.last,
        depart(.peerClosed(code), farewell: output.bytes)
      {
        output.removeAll()
        break
      }
      if !output.bytes.isEmpty { append(output.bytes) }
      for event in output.events { handle(event) }
      output.removeAll()
      // A few compressed bytes may inflate to many messages.
      if isReadingPaused, offset < bytes.count, isOpen { break }
    }
    transport.output = output
    if isReadingPaused, offset < bytes.count, isOpen, !isDeparting { hold(bytes[offset...]) }
  }

  private func handle(_ event: WebSocketEvent) {
    switch event {
    case .text(let bytes): hand(.text(bytes))
    case .binary(let bytes): hand(.binary(bytes))
    case .ping, .pong: break
    case .closed(let code, _):
      let wasOpen = isOpen
      finish()
      if wasOpen { didStopBeingOpen(.peerClosed(code)) }
    case .failed(let error):
      finish()
      didStopBeingOpen(.protocolError(error.closeCode))
    }
  }

  private func hand(_ message: WebSocketMessage) {
    guard isOpen else { return }
    transport.counters.messagesReceived += 1
    application?.connection(self, received: message)
  }
}
