import Glibc
import Synchronization

/// A server on a loopback port that does whatever a test wants it to do to its clients.
final class LocalServer: Sendable {
  typealias Handler = @Sendable (LocalClient) -> Void

  let port: UInt16
  private let listener: Int32
  private let requests = Mutex<[String]>([])

  init(_ handler: @escaping Handler) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard listener >= 0, bound else { throw ServerError.cannotListen(errno) }
    self.listener = listener
    port = UInt16(bigEndian: address.sin_port)
    startThread { [self] in accept(with: handler) }
  }

  enum ServerError: Error { case cannotListen(Int32) }

  /// The paths asked for so far.
  var paths: [String] { requests.withLock { $0 } }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Ends the listening; clients that are being served notice by themselves.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept(with handler: @escaping Handler) {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      startThread { [self] in
        let client = LocalClient(descriptor)
        defer { client.close() }
        guard client.readHead() else { return }
        requests.withLock { $0.append(client.path) }
        handler(client)
      }
    }
    close(listener)
  }
}

/// One client of a ``LocalServer``.
final class LocalClient {
  private let descriptor: Int32
  private(set) var head = ""

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The port that the client came to.
  var port: UInt16 {
    UInt16(head.firstMatch(of: /Host: [^\r]*:(\d+)/).flatMap { Int($0.1) } ?? 0)
  }

  var path: String { String(head.split(separator: " ").dropFirst().first ?? "") }

  func readHead() -> Bool {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return false }
      bytes += buffer.prefix(count)
    }
    head = String(decoding: bytes, as: UTF8.self)
    return true
  }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  func respond(
    _ status: String = "200 OK", type: String? = "text/html", headers: String = "",
    body: [UInt8]
  ) {
    let type = type.map { "Content-Type: \($0)\r\n" } ?? ""
    send("HTTP/1.1 \(status)\r\n\(type)\(headers)Content-Length: \(body.count)\r\n\r\n")
    send(body)
  }

  func respond(_ text: String) { respond(body: Array(text.utf8)) }

  func redirect(to location: String, _ status: String = "302 Found") {
    respond(status, headers: "Location: \(location)\r\n", body: Array("elsewhere".utf8))
  }

  /// Says nothing until the other side goes away.
  func waitForEnd() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }

  /// Breaks the connection off instead of ending it.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  func close() { _ = Glibc.close(descriptor) }
}

/// Runs a function on a thread that nobody waits for.
private func startThread(_ run: @escaping @Sendable () -> Void) {
  final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
  var handle = pthread_t()
  let body = Unmanaged.passRetained(Body(run))
  let result = pthread_create(
    &handle, nil,
    { argument in
      if let argument { Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run() }
      return nil
    }, body.toOpaque())
  if result == 0 { pthread_detach(handle) } else { body.release() }
}
