import Glibc
import Reactor
import Synchronization
import TestPeers
import TestSupport

/// An S3 server on a loopback port: objects in memory, and faults as a test wants them.
final class ObjectServer: Sendable {
  /// A request as it came.
  struct Request: Sendable {
    let method: String
    let path: String
    let query: String
    let head: String
    let body: [UInt8]
  }

  /// An answer in place of the right one.
  enum Fault: Sendable {
    case bytes(String)
    /// Nothing, until the client ends the connection.
    case silence
  }

  typealias Script = @Sendable (_ request: Request) -> Fault?

  private struct State {
    var objects: [String: [UInt8]] = [:]
    var parts: [[UInt8]] = []
    var uploads: Set<String> = []
    var requests: [Request] = []
    var script: Script = { _ in nil }
  }

  let port: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  init() throws {
    guard let any = SocketAddress(host: "127.0.0.1", port: 0) else { throw TestFailure("no host") }
    listener = try Socket.listen(on: any)
    port = try SocketAddress(boundTo: listener).port
    TestThread.start { [self] in serve() }
  }

  var url: String { "http://127.0.0.1:\(port)/bucket" }
  var objects: [String: [UInt8]] { state.withLock { $0.objects } }
  var uploads: Set<String> { state.withLock { $0.uploads } }
  var requests: [Request] { state.withLock { $0.requests } }

  /// Answers otherwise from now on; `nil` is the right answer.
  func play(_ script: @escaping Script) { state.withLock { $0.script = script } }

  /// Loses objects, by their paths.
  func remove(where isLost: @Sendable (String) -> Bool) {
    state.withLock { $0.objects = $0.objects.filter { !isLost($0.key) } }
  }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  static func response(_ status: Int, _ body: String = "", _ fields: String = "") -> String {
    "HTTP/1.1 \(status) x\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)"
  }

  private func serve() {
    while true {
      var target = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
      _ = poll(&target, 1, -1)
      guard target.revents & Int16(POLLHUP) == 0 else { break }
      guard let client = try? Socket.accept(listener) else { continue }
      TestThread.start { [self] in converse(StreamSocket(taking: client)) }
    }
    Socket.close(listener)
  }

  private func converse(_ client: StreamSocket) {
    while let request = try? read(client) {
      let script = state.withLock { state in
        state.requests.append(request)
        return state.script
      }
      switch script(request) {
      case .bytes(let bytes):
        try? client.write(Array(bytes.utf8), .standard)
        if !bytes.hasPrefix("HTTP/1.1 5") { return }
      case .silence:
        _ = try? client.read(.in(seconds: 600))
        return
      case nil: try? client.write(answer(request), .standard)
      }
    }
  }

  private func answer(_ request: Request) -> [UInt8] {
    state.withLock { state in
      switch (request.method, request.query) {
      case ("POST", "uploads="):
        state.uploads.insert("u&1")
        return Array(Self.response(200, "<R><UploadId>u&amp;1</UploadId></R>").utf8)
      case ("POST", _):
        state.objects[request.path] = Array(state.parts.joined())
        state.uploads = []
        return Array(Self.response(200, "<CompleteMultipartUploadResult/>").utf8)
      case ("PUT", ""):
        state.objects[request.path] = request.body
        return Array(Self.response(200, "", "ETag: \"whole\"\r\n").utf8)
      case ("PUT", _):
        state.parts.append(request.body)
        return Array(Self.response(200, "", "ETag: \"part\(state.parts.count)\"\r\n").utf8)
      case ("DELETE", ""):
        state.objects[request.path] = nil
        return Array("HTTP/1.1 204 x\r\n\r\n".utf8)
      case ("DELETE", _):
        state.uploads = []
        return Array("HTTP/1.1 204 x\r\n\r\n".utf8)
      case ("GET", ""): return Self.object(state.objects[request.path], request)
      default: return Array(Self.list(state.objects.keys, request).utf8)
      }
    }
  }

  /// Lists keys, two at a time.
  private static func list(_ paths: some Sequence<String>, _ request: Request) -> String {
    func parameter(_ name: String) -> String? {
      request.query.split(separator: "&").first { $0.hasPrefix(name + "=") }
        .map { String($0.dropFirst(name.utf8.count + 1).replacing("%2F", with: "/")) }
    }
    let keys = paths.map { String($0.dropFirst("/bucket/".utf8.count)) }
      .filter { $0.hasPrefix(parameter("prefix") ?? "") }
      .filter { $0 > parameter("continuation-token") ?? "" }.sorted()
    let next = keys.count > 2 ? "<NextContinuationToken>\(keys[1])</NextContinuationToken>" : ""
    let contents = keys.prefix(2).map {
      "<Contents><Key>\($0)</Key><LastModified>2026-11-20T10:00:00.000Z</LastModified></Contents>"
    }
    return response(
      200, "<ListBucketResult>\(contents.joined())\(next)</ListBucketResult>",
      "Date: Mon, 23 Nov 2026 10:00:00 GMT\r\n")
  }

  private static func object(_ object: [UInt8]?, _ request: Request) -> [UInt8] {
    guard let object, let range = request.head.firstRange(of: "Range: bytes=") else {
      return Array(response(404).utf8)
    }
    let bounds = request.head[range.upperBound...].prefix { $0 != "\r\n" }.split(separator: "-")
      .compactMap { Int($0) }
    let part = object[bounds[0]...min(bounds[1], object.count - 1)]
    let fields =
      "Content-Range: bytes \(bounds[0])-\(part.endIndex - 1)/\(object.count)\r\n"
    return Array(
      "HTTP/1.1 206 x\r\nContent-Length: \(part.count)\r\n\(fields)\r\n".utf8) + part
  }

  /// - Returns: `nil` when the client has ended the connection.
  private func read(_ client: StreamSocket) throws -> Request? {
    var bytes: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    var headEnd: Int?
    var length = 0
    while true {
      if headEnd == nil, let range = bytes.firstRange(of: end) {
        headEnd = range.upperBound
        let fields = String(decoding: bytes[..<range.lowerBound], as: UTF8.self).lowercased()
        length =
          fields.split(separator: "\r\n").first { $0.hasPrefix("content-length: ") }
          .flatMap { Int($0.dropFirst(16)) } ?? 0
      }
      if let headEnd, bytes.count >= headEnd + length {
        let head = String(decoding: bytes[..<headEnd], as: UTF8.self)
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ")
        let target = words[1].split(separator: "?", maxSplits: 1)
        return Request(
          method: String(words[0]), path: String(target[0]),
          query: target.count > 1 ? String(target[1]) : "", head: head,
          body: Array(bytes[headEnd...]))
      }
      let piece = try client.read(.in(seconds: 600))
      guard !piece.isEmpty else { return nil }
      bytes += piece
    }
  }
}
