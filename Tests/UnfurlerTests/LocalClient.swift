import Glibc

/// One client of a ``LocalServer``.
final class LocalClient {
  private let descriptor: Int32
  private let session: LocalTLS.Session?
  private(set) var head = ""
  /// How many bytes the other side, or the kernel for it, has taken.
  private(set) var sentByteCount = 0

  init(_ descriptor: Int32, _ session: LocalTLS.Session? = nil) {
    self.descriptor = descriptor
    self.session = session
  }

  /// The port that the client came to.
  var port: UInt16 {
    UInt16(head.firstMatch(of: /Host: [^\r]*:(\d+)/).flatMap { Int($0.1) } ?? 0)
  }

  var path: String { String(head.split(separator: " ").dropFirst().first ?? "") }

  func readHead() -> Bool {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !String(decoding: bytes, as: UTF8.self).contains("\r\n\r\n") {
      let count = receive(&buffer)
      guard count > 0 else { return false }
      bytes += buffer.prefix(count)
      // A TLS record where a request should be: there is nothing to talk about.
      if bytes.first == 0x16 { return false }
    }
    head = String(decoding: bytes, as: UTF8.self)
    return true
  }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        session?.send($0) ?? Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sentByteCount += count
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
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while receive(&buffer) > 0 {}
  }

  private func receive(_ buffer: inout [UInt8]) -> Int {
    buffer.withUnsafeMutableBytes {
      session?.receive($0) ?? recv(descriptor, $0.baseAddress, $0.count, 0)
    }
  }

  /// Breaks the connection off instead of ending it.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  func close() {
    session?.end()
    _ = Glibc.close(descriptor)
  }
}
