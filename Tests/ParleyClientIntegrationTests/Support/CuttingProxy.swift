import Glibc
import Synchronization
import TestPeers

/// Stands between clients and a server on loopback, and breaks connections off when told.
final class CuttingProxy: Sendable {
  /// Which way bytes go.
  enum Direction: Sendable, CaseIterable {
    case toServer
    case toClient
  }

  /// The handling of a connection, by its first bytes.
  enum Treatment: Sendable {
    case passes
    /// The bytes are answered by the proxy, which then ends the connection.
    case answers(String)
    /// The bytes disappear.
    case swallows
    /// The answer arrives when it has ended.
    case withholds
  }

  private struct State {
    var target: UInt16
    var counts: [Direction: Int] = [:]
    /// How many more bytes pass in a direction before all connections break.
    var budget: (direction: Direction, bytes: Int)?
    var descriptors: Set<Int32> = []
  }

  /// Where clients connect to.
  let port: UInt16
  private let listener: Int32
  private let treatment: @Sendable (String) -> Treatment
  private let state: Mutex<State>

  /// Listens, and leads connections to a port.
  init(
    to target: UInt16,
    treating treatment: @escaping @Sendable (String) -> Treatment = { _ in .passes }
  ) throws {
    self.treatment = treatment
    state = Mutex(State(target: target))
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw TestFailure("a proxy can't listen") }
    TestThread.start { [self] in accept() }
  }

  /// What a client connects to.
  var url: String { "ws://127.0.0.1:\(port)" }

  /// Bytes that have passed in a direction.
  func count(_ direction: Direction) -> Int {
    state.withLock { $0.counts[direction, default: 0] }
  }

  /// Leads connections that are made from now on to another port.
  func lead(to target: UInt16) {
    state.withLock { $0.target = target }
  }

  /// Breaks all connections off once so many more bytes have passed; those made later are whole.
  func cut(after bytes: Int, _ direction: Direction) {
    state.withLock { $0.budget = (direction, bytes) }
    if bytes == 0 { cutNow() }
  }

  /// Breaks all connections off.
  func cutNow() {
    state.withLock { state in
      state.budget = nil
      for descriptor in state.descriptors { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
  }

  /// Ends it.
  func stop() {
    cutNow()
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      serve(client)
    }
    close(listener)
  }

  private func serve(_ client: Int32) {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(port: state.withLock { $0.target })
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(client)
      close(server)
      return
    }
    state.withLock { $0.descriptors.formUnion([client, server]) }
    let halves = Halves()
    TestThread.start { [self] in
      if begin(from: client, to: server, halves) { pump(from: client, to: server, .toServer) }
      finish(client, server, halves)
    }
    TestThread.start { [self] in
      pump(from: server, to: client, .toClient) { halves.isWithheld }
      finish(client, server, halves)
    }
  }

  /// Treats a connection by its first bytes, and passes them on.
  ///
  /// - Returns: Whether the following bytes pass too.
  private func begin(from client: Int32, to server: Int32, _ halves: Halves) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(client, &buffer, buffer.count, Int32(MSG_PEEK))
    guard count > 0 else { return true }
    switch treatment(String(decoding: buffer[..<count], as: UTF8.self)) {
    case .passes: return true
    case .withholds:
      halves.withhold()
      return true
    case .answers(let text):
      _ = read(client, &buffer, count)
      _ = Self.write(Array(text.utf8)[...], to: client)
      shutdown(client, Int32(SHUT_WR))
    case .swallows: while read(client, &buffer, buffer.count) > 0 {}
    }
    shutdown(server, Int32(SHUT_RDWR))
    return false
  }

  private func pump(
    from source: Int32, to sink: Int32, _ direction: Direction,
    isWithheld: () -> Bool = { false }
  ) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    var withheld: [UInt8] = []
    while true {
      let count = read(source, &buffer, buffer.count)
      guard count > 0 else { break }
      let (allowed, isLast) = admit(count, direction)
      guard !isWithheld() else {
        withheld += buffer[..<allowed]
        continue
      }
      guard Self.write(buffer[..<allowed], to: sink), !isLast else { break }
    }
    _ = Self.write(withheld[...], to: sink)
    shutdown(source, Int32(SHUT_RDWR))
    shutdown(sink, Int32(SHUT_RDWR))
  }

  /// Returns whether all bytes could be written.
  private static func write(_ bytes: ArraySlice<UInt8>, to sink: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let step = rest.withUnsafeBytes {
        send(sink, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard step > 0 else { return false }
      rest = rest.dropFirst(step)
    }
    return true
  }

  /// How many of the bytes may pass, and whether it is over with that.
  private func admit(_ count: Int, _ direction: Direction) -> (allowed: Int, isLast: Bool) {
    state.withLock { state in
      var allowed = count
      var isLast = false
      if let budget = state.budget, budget.direction == direction {
        allowed = min(count, budget.bytes)
        isLast = allowed == budget.bytes
        state.budget = isLast ? nil : (direction, budget.bytes - allowed)
      }
      state.counts[direction, default: 0] += allowed
      return (allowed, isLast)
    }
  }

  /// Closes both once neither direction uses them.
  private func finish(_ client: Int32, _ server: Int32, _ halves: Halves) {
    guard halves.leave() else { return }
    state.withLock { state in
      state.descriptors.subtract([client, server])
      close(client)
      close(server)
    }
  }

  private static func loopback(port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }
}

/// Counts the two directions of a connection that are still in use.
private final class Halves: Sendable {
  private let remaining = Mutex(2)
  private let withheld = Mutex(false)

  /// Whether bytes to the client are kept until their end.
  var isWithheld: Bool { withheld.withLock { $0 } }

  func withhold() { withheld.withLock { $0 = true } }

  /// Whether the caller was the last.
  func leave() -> Bool {
    remaining.withLock {
      $0 -= 1
      return $0 == 0
    }
  }
}
