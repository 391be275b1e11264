import Glibc
import Synchronization

/// A server on a loopback port that does whatever a test wants it to do to its clients.
final class LocalServer: Sendable {
  typealias Handler = @Sendable (LocalClient) -> Void

  let port: UInt16
  private let listener: Int32
  private let tls: LocalTLS?
  private let opening: Opening
  private let requests = Mutex<[String]>([])
  private let connections = Mutex(0)
  private let sentBytes = Mutex(0)

  /// Whether clients are expected to ask before they are served.
  enum Opening: Sendable { case request, none }

  /// - Parameter tls: Serves https with it.
  init(
    tls: LocalTLS? = nil, after opening: Opening = .request, _ handler: @escaping Handler
  ) throws {
    self.tls = tls
    self.opening = opening
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

  /// How many connections have been accepted, whatever came of them.
  var connectionCount: Int { connections.withLock { $0 } }

  /// How many bytes clients that are gone, or the kernel for them, have taken.
  var sentByteCount: Int { sentBytes.withLock { $0 } }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Ends the listening; clients that are being served notice by themselves.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept(with handler: @escaping Handler) {
    while true {
      let descriptor = Glibc.accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      connections.withLock { $0 += 1 }
      startThread { [self] in serve(descriptor, with: handler) }
    }
    close(listener)
  }

  private func serve(_ descriptor: Int32, with handler: Handler) {
    // Small, so that what was sent is about what was taken.
    var size: Int32 = 65_536
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    let session = tls?.accept(descriptor)
    let client = LocalClient(descriptor, session)
    defer {
      client.close()
      sentBytes.withLock { $0 += client.sentByteCount }
    }
    // A handshake that failed leaves nobody to talk to.
    guard tls == nil || session != nil else { return }
    if opening == .none { return handler(client) }
    guard client.readHead() else { return }
    requests.withLock { $0.append(client.path) }
    handler(client)
  }
}

/// Runs a function on a thread that nobody waits for.
func startThread(_ run: @escaping @Sendable () -> Void) {
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
