import Glibc
package import TestSupport

/// A TCP connection to a port of this machine, used by one thread at a time.
package final class StreamSocket: ByteStream {
  private var descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Connects to 127.0.0.1.
  ///
  /// - Parameter receiveBuffer: How many bytes the kernel keeps for a client that does not read;
  ///   `nil` leaves it to the kernel.
  package init(
    port: UInt16, receiveBuffer: Int32? = nil, _ deadline: Deadline = .standard
  ) throws {
    descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw Self.failure("socket") }
    setOption(IPPROTO_TCP, TCP_NODELAY, 1)
    if let receiveBuffer { setOption(Int(SOL_SOCKET), SO_RCVBUF, receiveBuffer) }
    try connect(to: port, deadline)
  }

  /// Takes over a connected descriptor.
  package init(taking descriptor: Int32) {
    self.descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    // Else a program that another test starts meanwhile would keep the connection open.
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close()
  }

  /// A broken-off connection counts as ended.
  package func read(_ deadline: Deadline) throws -> [UInt8] {
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0 { return Array(buffer.prefix(count)) }
      switch errno {
      case EAGAIN: try wait(for: POLLIN, "something to read", deadline)
      case ECONNRESET: return []
      case EINTR: continue
      default: throw Self.failure("recv")
      }
    }
  }

  package func write(_ bytes: [UInt8], _ deadline: Deadline) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        try wait(for: POLLOUT, "room to write", deadline)
      } else if errno != EINTR {
        throw Self.failure("send")
      }
    }
  }

  /// Says that nothing more will be written.
  package func endWriting() {
    shutdown(descriptor, Int32(SHUT_WR))
  }

  package func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  private func connect(to port: UInt16, _ deadline: Deadline) throws {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let outcome = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard outcome != 0 else { return }
    guard errno == EINPROGRESS else { throw Self.failure("connect") }
    try wait(for: POLLOUT, "a connection", deadline)
    var error: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length)
    guard error == 0 else { throw TestFailure("connect: \(String(cString: strerror(error)))") }
  }

  private func wait(for event: Int32, _ what: String, _ deadline: Deadline) throws {
    var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    let outcome = poll(&entry, 1, deadline.remainingMilliseconds)
    guard outcome != 0 else { throw TestFailure("waited in vain for \(what) on a socket") }
    guard outcome > 0 || errno == EINTR else { throw Self.failure("poll") }
  }

  private func setOption(_ level: Int, _ name: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, Int32(level), name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func failure(_ call: String) -> TestFailure {
    TestFailure("\(call): \(String(cString: strerror(errno)))")
  }
}
