import Glibc
import Synchronization
import TestPeers
import TestSupport

/// A request as a server received it.
struct ReceivedRequest: Sendable {
  let method: String
  let path: String
  /// The header fields with names in lower case.
  let fields: [String: String]
  let body: [UInt8]
}

/// An HTTP server on a loopback port with one request for each connection.
final class AnswerServer: Sendable {
  /// The bytes of an answer; `nil` to keep the connection without one.
  typealias Answer = @Sendable (ReceivedRequest) -> [UInt8]?

  let port: UInt16
  private let listener: Int32
  private let answer: Answer
  private let received = Mutex<[ReceivedRequest]>([])

  init(_ answer: @escaping Answer) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    self.answer = answer
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
    guard isListening else { throw TestFailure("a server can't listen") }
    TestThread.start { [self] in serve() }
  }

  /// An answer with a body.
  static func text(_ status: String, _ fields: String = "", body: String = "") -> [UInt8] {
    Array(
      """
      HTTP/1.1 \(status)\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\
      Connection: close\r\n\r\n\(body)
      """.utf8)
  }

  var requests: [ReceivedRequest] { received.withLock { $0 } }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func serve() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { break }
      TestThread.start { [self] in try? handle(StreamSocket(taking: descriptor)) }
    }
    close(listener)
  }

  private func handle(_ client: StreamSocket) throws {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    var bodyStart: Int?
    while bodyStart == nil {
      let piece = try client.read(.standard)
      guard !piece.isEmpty else { return }
      bytes += piece
      bodyStart = bytes.indices.first { bytes[$0...].starts(with: end) }.map { $0 + 4 }
    }
    let head = String(decoding: bytes[..<(bodyStart ?? 0)], as: UTF8.self)
    let lines = head.split(separator: "\r\n")
    var fields: [String: String] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      fields[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
    }
    var body = Array(bytes[(bodyStart ?? 0)...])
    let length = fields["content-length"].flatMap { Int($0) } ?? 0
    while body.count < length { body += try client.read(.standard) }
    let words = lines[0].split(separator: " ").map(String.init)
    let request = ReceivedRequest(
      method: words[0], path: words[1], fields: fields, body: body)
    received.withLock { $0.append(request) }
    guard let answer = answer(request) else {
      // The client ends the connection.
      _ = try? client.read(.standard)
      return
    }
    try client.write(answer, .standard)
  }
}
