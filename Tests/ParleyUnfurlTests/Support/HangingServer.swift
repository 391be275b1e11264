import Glibc
import Synchronization
import TestPeers
import TestSupport

/// A server on a loopback port that never answers, and notices when those who asked go away.
final class HangingServer: Sendable {
  let port: UInt16
  private let listener: Int32
  private let counts = Mutex((asked: 0, gone: 0))

  init() throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 64) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw TestFailure("a hanging server can't listen") }
    TestThread.start { [self] in accept() }
  }

  deinit { close(listener) }

  var url: String { "http://127.0.0.1:\(port)/" }

  /// How many have asked for something.
  var asked: Int { counts.withLock { $0.asked } }

  /// How many of them have gone away.
  var gone: Int { counts.withLock { $0.gone } }

  /// Ends the listening.
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      TestThread.start { [self] in wait(StreamSocket(taking: client)) }
    }
  }

  private func wait(_ client: StreamSocket) {
    guard let first = try? client.read(.in(seconds: 120)), !first.isEmpty else { return }
    counts.withLock { $0.asked += 1 }
    _ = try? client.readToEnd(.in(seconds: 120))
    counts.withLock { $0.gone += 1 }
  }
}
