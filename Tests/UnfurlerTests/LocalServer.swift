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
