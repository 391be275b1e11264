import Basics
package import Reactor

/// A connected socket, TLS if any, and the bytes waiting to be written.
///
///     append ──► unencrypted ──► TLS ──► outbound ──► socket
///                (TLS only)
///
/// The owner drives the stream: it registers it with a loop, calls ``flush(_:using:departing:)`` at the
/// end of a turn and when the socket is writable, and handles failures. Confined to the owner's event
/// loop. Not copyable, because a copy on each access would add a cost to every message.
package struct SocketStream: ~Copyable {
  /// TLS encrypts at most this many bytes at a time, so that its output area stays small.
  package static let encryptionStep = 65_536

  /// The socket; -1 when there is none.
  package private(set) var descriptor: Int32
  /// The readiness events that the loop watches the socket for.
  package private(set) var interest: Readiness = []
  private var registration: EventLoop.Registration?
  private var isListed = false
  private var tls: TLSSession?
  /// Bytes for the socket; encrypted if TLS is used.
  private var outbound = ByteQueue()
  /// With TLS: bytes waiting to be encrypted.
  private var unencrypted = ByteQueue()

  /// Makes a stream without a socket.
  package init() {
    descriptor = -1
  }

  /// Takes ownership of a socket that is connected or connecting.
  package init(_ descriptor: Int32, tls: TLSSession? = nil) {
    self.descriptor = descriptor
    self.tls = tls
  }

  /// Encrypts all bytes appended from now on with a TLS session.
  package mutating func secure(with session: TLSSession) {
    tls = session
  }

  /// Whether bytes are encrypted before they are written.
  package var isEncrypted: Bool { tls != nil }

  /// Whether bytes can be exchanged: TLS, if any, is established.
  package var isEstablished: Bool { tls?.isEstablished != false }

  /// The number of bytes waiting to be written.
  package var queuedByteCount: Int { outbound.count + unencrypted.count }

  /// The number of bytes waiting for the socket itself, encrypted if necessary.
  package var outboundByteCount: Int { outbound.count }

  /// Whether no bytes are waiting.
  package var isDrained: Bool { outbound.isEmpty && unencrypted.isEmpty }

  /// The number of waiting bytes that are still in the form in which they were appended.
  package var plainByteCount: Int { tls == nil ? outbound.count : unencrypted.count }
}

/// Uses the event loop.
extension SocketStream {
  /// Registers the socket with a loop.
  ///
  /// - Throws: If the kernel has no room for the registration. The caller still has to close the socket.
  package mutating func watch(
    for interest: Readiness, on loop: EventLoop, handler: any ReadinessHandler
  ) throws(SystemError) {
    registration = try loop.register(descriptor, for: interest, handler: handler)
    self.interest = interest
  }

  /// Changes the readiness events that the loop watches the socket for.
  ///
  /// - Throws: If the kernel has no memory. The owner should close the stream: no event would arrive.
  package mutating func setInterest(
    _ wanted: Readiness, on loop: EventLoop
  ) throws(SystemError) {
    // Compares raw values, because operations on option sets are looked up at run time.
    guard let registration, wanted.rawValue != interest.rawValue else { return }
    try loop.update(registration, for: wanted)
    interest = wanted
  }

  /// Stops watching the socket, which another handler takes over with its waiting bytes.
  package mutating func unwatch(on loop: EventLoop) {
    if let registration { loop.deregister(registration) }
    registration = nil
    interest = []
    isListed = false
  }

  /// Marks the stream to be flushed at the end of the turn.
  ///
  /// - Returns: `false` when it was already marked.
  package mutating func scheduleFlush() -> Bool {
    defer { isListed = true }
    return !isListed
  }

  /// Leaves the output for a later flush, which has to be scheduled again.
  package mutating func postponeFlush() {
    isListed = false
  }

  /// Closes the socket and discards all waiting bytes.
  package mutating func close(on loop: EventLoop) {
    if let registration { loop.deregister(registration) }
    closeWithoutLoop()
  }

  /// Closes the socket after its loop has ended.
  package mutating func closeWithoutLoop() {
    registration = nil
    interest = []
    if descriptor >= 0 { Socket.close(descriptor) }
    descriptor = -1
    tls = nil
    dropQueued()
  }
}

/// Reads.
extension SocketStream {
  /// The result of a decryption; ``StreamResources/recycle(_:)`` takes back the plaintext buffer.
  package struct Decryption {
    /// Decrypted bytes, including those before an error.
    package var plaintext: [UInt8]
    package let result: Result<TLSProgress, TLSError>
    /// Whether TLS itself has appended bytes to be written.
    package let hasReply: Bool
  }

  /// Reads the bytes that have arrived, up to the buffer's size.
  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransferOutcome {
    Socket.receive(descriptor, into: buffer)
  }

  /// Decrypts bytes from the socket, and queues the replies of TLS.
  ///
  /// - Returns: `nil` without TLS: the bytes are already plaintext.
  package mutating func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, using resources: StreamResources
  ) -> Decryption? {
    guard let tls else { return nil }
    var plaintext = resources.takePlaintext()
    do throws(TLSError) {
      let scratch = try resources.tlsScratch()
      let result: Result<TLSProgress, TLSError>
      do throws(TLSError) {
        result = .success(try tls.receive(ciphertext, plaintext: &plaintext, scratch: scratch))
      } catch {
        result = .failure(error)
      }
      return Decryption(
        plaintext: plaintext, result: result, hasReply: appendCiphertext(of: scratch))
    } catch {
      return Decryption(plaintext: plaintext, result: .failure(error), hasReply: false)
    }
  }
}

/// Writes.
extension SocketStream {
  /// The result of a ``flush(_:using:departing:)``.
  package enum FlushOutcome: Equatable {
    /// No bytes are waiting, except those that wait for TLS to be established.
    case flushed
    /// The kernel accepts no more bytes for now.
    case blocked
    /// The socket is broken; the `errno`.
    case failed(Int32)
    case brokeTLS(TLSError)
  }

  /// The number and bytes of the system calls of a ``flush(_:using:departing:)``.
  package struct Writes {
    package var count = 0
    package var byteCount = 0

    package init() {}
  }

  /// Appends bytes for the peer.
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    if tls == nil { outbound.append(bytes) } else { unencrypted.append(bytes) }
  }

  /// Appends bytes in the form in which the socket takes them: the rest of a write by the owner.
  package mutating func appendUnwritten(_ bytes: UnsafeRawBufferPointer) {
    outbound.append(bytes)
  }

  /// Encrypts bytes that the owner writes itself; the queue must be empty.
  package func encrypt(_ bytes: UnsafeRawBufferPointer, into scratch: TLSScratch) throws(TLSError) {
    try tls?.send(bytes, scratch: scratch)
  }

  /// Starts TLS as a client.
  package mutating func startHandshake(using resources: StreamResources) throws(TLSError) {
    guard let tls else { return }
    let scratch = try resources.tlsScratch()
    try tls.startHandshake(scratch: scratch)
    appendCiphertext(of: scratch)
  }

  /// Writes waiting bytes until the kernel accepts no more.
  ///
  /// - Parameter departing: Called with the waiting bytes in their appended form, before their first
  ///   `count` are written or encrypted.
  package mutating func flush(
    _ writes: inout Writes, using resources: StreamResources,
    departing: (_ bytes: UnsafeRawBufferPointer, _ count: Int) -> Void
  ) -> FlushOutcome {
    isListed = false
    while descriptor >= 0 {
      do throws(TLSError) {
        try encryptNext(using: resources, departing)
      } catch {
        return .brokeTLS(error)
      }
      guard !outbound.isEmpty else { return .flushed }
      writes.count += 1
      switch outbound.withUnsafeBytes({ Socket.send(descriptor, $0) }) {
      case .transferred(let count):
        writes.byteCount += count
        if tls == nil { outbound.withUnsafeBytes { departing($0, count) } }
        outbound.removeFirst(count)
      case .wouldBlock: return .blocked
      case .ended: return .failed(0)
      case .failed(let code): return .failed(code)
      }
    }
    return .flushed
  }

  /// Ends this side after the last byte.
  ///
  /// TLS first sends its own end, without which the peer could not distinguish the end from a broken
  /// connection (RFC 8446 §6.1).
  ///
  /// - Returns: `false` when bytes have to be written first and the call repeated.
  package mutating func endWriting(using resources: StreamResources) -> Bool {
    if let tls, let scratch = try? resources.tlsScratch() {
      self.tls = nil
      try? tls.close(scratch: scratch)
      if appendCiphertext(of: scratch) { return false }
    }
    Socket.shutDownWriting(descriptor)
    return true
  }

  /// Keeps the first waiting bytes in their appended form, and discards the others.
  package mutating func keepFirst(_ count: Int) {
    if tls == nil { outbound.keepFirst(count) } else { unencrypted.keepFirst(count) }
  }

  /// Discards all waiting bytes and frees their memory.
  package mutating func dropQueued() {
    outbound = ByteQueue()
    unencrypted = ByteQueue()
  }

  private mutating func encryptNext(
    using resources: StreamResources,
    _ departing: (_ bytes: UnsafeRawBufferPointer, _ count: Int) -> Void
  ) throws(TLSError) {
    guard let tls, outbound.isEmpty, !unencrypted.isEmpty, tls.isEstablished else { return }
    let scratch = try resources.tlsScratch()
    let count = min(unencrypted.count, Self.encryptionStep)
    // A rethrowing function would lose the error's type.
    let failure: TLSError? = unencrypted.withUnsafeBytes { bytes in
      do throws(TLSError) {
        try tls.send(UnsafeRawBufferPointer(rebasing: bytes[..<count]), scratch: scratch)
        departing(bytes, count)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw failure }
    unencrypted.removeFirst(count)
    appendCiphertext(of: scratch)
  }

  /// Queues ciphertext that TLS has produced.
  ///
  /// - Returns: Whether there was any.
  @discardableResult
  private mutating func appendCiphertext(of scratch: TLSScratch) -> Bool {
    guard !scratch.outgoing.isEmpty else { return false }
    outbound.append(scratch.outgoing)
    scratch.removeOutgoing()
    return true
  }
}
