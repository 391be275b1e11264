import CLinux
import Glibc

/// The outcome of an attempt to move bytes without waiting.
package enum TransferOutcome: Sendable, Equatable {
  /// The number of bytes moved, at least one.
  case transferred(Int)
  /// The kernel has no bytes or no buffer space: wait for readiness.
  case wouldBlock
  /// The peer has ended its side (reads only).
  case ended
  /// The socket is broken; the `errno`.
  case failed(Int32)
}

/// Socket operations, none of which blocks.
package enum Socket {
  /// Creates a non-blocking listening TCP socket.
  ///
  /// `SO_REUSEPORT` allows each event loop its own listener on the same address; the kernel then
  /// distributes connections among them. An IPv6 socket accepts only IPv6, except that the unspecified
  /// address accepts both.
  package static func listen(
    on address: SocketAddress, backlog: Int32 = 4096
  ) throws(SystemError)
    -> Int32
  {
    let descriptor = try open(address)
    do throws(SystemError) {
      try prepare(descriptor, for: address)
      try set(descriptor, SOL_SOCKET, SO_REUSEPORT, 1)
      guard address.withSockAddr({ Kernel.bind(descriptor, $0, $1) }) == 0 else {
        throw .last("bind", on: address.description)
      }
      guard Kernel.listen(descriptor, backlog) == 0 else {
        throw .last("listen", on: address.description)
      }
      return descriptor
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Opens a listening socket on an address that has no listener.
  ///
  /// Sockets that share an address also share its connections, even with another process.
  ///
  /// - Returns: The socket, and the address with the chosen port if it had none.
  package static func listenFirst(
    on address: SocketAddress
  ) throws(SystemError) -> (descriptor: Int32, address: SocketAddress) {
    // A port that the kernel chooses is free; releasing it in between would lose it.
    if address.port != 0 { try claim(address) }
    let descriptor = try listen(on: address)
    do throws(SystemError) {
      return (descriptor, try SocketAddress(boundTo: descriptor))
    } catch {
      close(descriptor)
      throw error
    }
  }

  /// Checks that an address has no listener.
  private static func claim(_ address: SocketAddress) throws(SystemError) {
    let descriptor = try open(address)
    defer { close(descriptor) }
    try prepare(descriptor, for: address)
    guard address.withSockAddr({ Kernel.bind(descriptor, $0, $1) }) == 0,
      Kernel.listen(descriptor, 1) == 0
    else { throw .last("bind", on: address.description) }
  }

  /// Starts to connect without waiting: the socket becomes writable when it is connected.
  package static func connect(
    to address: SocketAddress, from local: LocalEnd = LocalEnd()
  ) throws(SystemError) -> Int32 {
    let descriptor = try open(address)
    setNoDelay(descriptor)
    do throws(SystemError) {
      try prepare(descriptor, as: local)
    } catch {
      close(descriptor)
      throw error
    }
    let result = address.withSockAddr { Kernel.connect(descriptor, $0, $1) }
    // After a signal the kernel continues to connect.
    guard result == 0 || errno == EINPROGRESS || errno == EINTR else {
      let error = SystemError.last("connect", on: address.description)
      close(descriptor)
      throw error
    }
    return descriptor
  }

  private static func prepare(_ descriptor: Int32, as local: LocalEnd) throws(SystemError) {
    if let size = local.receiveBufferBytes {
      try set(descriptor, SOL_SOCKET, SO_RCVBUF, Int32(clamping: size))
    }
    guard let source = local.address else { return }
    // The port is chosen when the destination is known: one address can then have as many connections to
    // each server as it has ports.
    if source.family == AF_INET, source.port == 0 {
      try set(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
    }
    guard source.withSockAddr({ Kernel.bind(descriptor, $0, $1) }) == 0 else {
      throw .last("bind", on: source.description)
    }
  }

  /// The `errno` of a failed asynchronous `connect`; 0 when it succeeded.
  package static func pendingError(_ descriptor: Int32) -> Int32 {
    var value: Int32 = 0
    let result = Kernel.option(descriptor, SOL_SOCKET, SO_ERROR, into: &value)
    return result == 0 ? value : errno
  }

  /// Allows immediate reuse of an address, and selects the protocols of an IPv6 socket.
  private static func prepare(_ descriptor: Int32, for address: SocketAddress) throws(SystemError) {
    try set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
    guard address.family == AF_INET6 else { return }
    let isUnspecified = address.description.hasPrefix("[::]")
    try set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, isUnspecified ? 0 : 1)
  }

  private static func open(_ address: SocketAddress) throws(SystemError) -> Int32 {
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
      | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = Kernel.socket(address.family, kind)
    guard descriptor >= 0 else { throw .last("socket") }
    return descriptor
  }

  private static func set(
    _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32
  ) throws(SystemError) {
    guard Kernel.setOption(descriptor, level, option, value) == 0 else {
      throw .last("setsockopt")
    }
  }

  /// Sends small writes immediately.
  ///
  /// A failure costs only latency, so it is not reported.
  package static func setNoDelay(_ descriptor: Int32) {
    _ = Kernel.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
  }

  /// Limits the bytes that the kernel buffers before it can send them; 0 for its default.
  ///
  /// Unlike a smaller send buffer this costs no throughput, because bytes in flight do not count. A
  /// failure costs only memory, so it is not reported.
  package static func limitUnsentBytes(_ descriptor: Int32, to count: Int32) {
    _ = Kernel.setOption(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, count)
  }

  /// Delays the acknowledgement of the next reads; the kernel returns to its default after a while.
  ///
  /// A failure costs only time, so it is not reported.
  package static func delayAcknowledgement(_ descriptor: Int32) {
    _ = Kernel.setOption(descriptor, Int32(IPPROTO_TCP), TCP_QUICKACK, 0)
  }

  /// Accepts one waiting connection.
  ///
  /// - Returns: A non-blocking socket, or `nil` when no connection is waiting.
  /// - Throws: `EMFILE`, `ENFILE`, `ENOBUFS`, `ENOMEM` when a resource is exhausted. Connections that
  ///   broke before they were accepted are skipped.
  package static func accept(_ listener: Int32) throws(SystemError) -> Int32? {
    while true {
      let descriptor = Kernel.accept(listener)
      if descriptor >= 0 { return descriptor }
      switch errno {
      case EAGAIN: return nil
      case EMFILE, ENFILE, ENOBUFS, ENOMEM: throw .last("accept")
      case EBADF, EINVAL, ENOTSOCK, EOPNOTSUPP: throw .last("accept")
      // ECONNABORTED and the network errors of accept(2) affect only one connection.
      default: continue
      }
    }
  }

  /// Reads the bytes that have arrived, up to the buffer's size.
  package static func receive(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
  ) -> TransferOutcome {
    while true {
      let count = Kernel.receive(descriptor, buffer.baseAddress, buffer.count)
      if count > 0 { return .transferred(count) }
      if count == 0 { return .ended }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(errno)
      }
    }
  }

  /// Writes as many bytes as the kernel accepts.
  package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> TransferOutcome
  {
    while true {
      let count = Kernel.send(descriptor, bytes.baseAddress, bytes.count)
      if count >= 0 { return .transferred(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: return .failed(errno)
      }
    }
  }

  /// Ends our side of the connection; the peer may continue to send.
  package static func shutDownWriting(_ descriptor: Int32) {
    _ = Kernel.shutDown(descriptor, Int32(SHUT_WR))
  }

  /// Creates another descriptor of a socket, which has to be closed separately.
  package static func duplicate(_ descriptor: Int32) throws(SystemError) -> Int32 {
    let copy = Kernel.duplicate(descriptor)
    guard copy >= 0 else { throw .last("fcntl") }
    return copy
  }

  /// Closes the descriptor.
  ///
  /// Unsent and unread bytes are left to the kernel.
  package static func close(_ descriptor: Int32) {
    Kernel.close(descriptor)
  }
}

/// The options of an outgoing connection's local end, where the kernel's defaults do not suit.
package struct LocalEnd: Sendable {
  /// The address to connect from; its port is usually 0, for any.
  package var address: SocketAddress?
  /// The size of the kernel's receive buffer, in bytes; the kernel doubles the number.
  package var receiveBufferBytes: Int?

  /// The time at which bytes are acknowledged to the peer.
  package enum Acknowledgement: Sendable, Hashable {
    /// The kernel's default; for a socket that is only read from, that is at each read.
    case standard
    /// After a delay, or after many bytes were read; must be requested again before each read.
    case delayed
  }

  package var acknowledgement = Acknowledgement.standard

  package init(
    address: SocketAddress? = nil, receiveBufferBytes: Int? = nil,
    acknowledgement: Acknowledgement = .standard
  ) {
    self.address = address
    self.receiveBufferBytes = receiveBufferBytes
    self.acknowledgement = acknowledgement
  }
}
