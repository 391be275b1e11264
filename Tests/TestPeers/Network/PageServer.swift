import Glibc
import Synchronization
import TestSupport

/// An HTTP server on a loopback port that gives every request the same page, but for those of
/// `/silent`, which it never answers.
package final class PageServer: Sendable {
  /// Where it listens.
  package let port: UInt16
  private let listener: Int32
  private let page: String
  private let paths = Mutex<[String]>([])

  /// Begins to serve an HTML page.
  package init(page: String) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.page = page
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw TestFailure("a page server can't listen") }
    TestThread.start { [self] in serve() }
  }

  /// The paths asked for so far.
  package var requestedPaths: [String] { paths.withLock { $0 } }

  /// The address of a page.
  package func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Ends the service.
  package func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func serve() {
    var silent: [StreamSocket] = []
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      let client = StreamSocket(taking: descriptor)
      try? answer(client)
      if requestedPaths.last == "/silent" { silent.append(client) }
    }
    withExtendedLifetime(silent) {}
    close(listener)
  }

  private func answer(_ client: StreamSocket) throws {
    var head = ""
    while !head.contains("\r\n\r\n") {
      let piece = try client.read(.standard)
      guard !piece.isEmpty else { return }
      head += String(decoding: piece, as: UTF8.self)
    }
    let path = String(head.split(separator: " ").dropFirst().first ?? "")
    paths.withLock { $0.append(path) }
    guard path != "/silent" else { return }
    let text = """
      HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\
      Content-Length: \(page.utf8.count)\r\nConnection: close\r\n\r\n\(page)
      """
    try client.write(Array(text.utf8), .standard)
  }
}
