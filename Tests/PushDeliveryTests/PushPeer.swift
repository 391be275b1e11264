import COpenSSL
import Glibc
import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport

/// A push service on a loopback port, over HTTP/1.1, with TLS or without.
final class PushPeer: Sendable {
  /// A request that came.
  struct Request: Sendable {
    let path: String
    /// By name in lower case.
    let fields: [String: String]
    let body: [UInt8]

    func json() throws -> JSONNode { try JSONDocument(body).root }
  }

  /// The behaviour towards a request.
  enum Reply: Sendable {
    case status(Int, fields: [String] = [], body: String = "")
    /// None at all.
    case silence
    /// A head, then a byte of the body now and then.
    case trickle
  }

  typealias Handler = @Sendable (_ request: Request, _ number: Int) -> Reply

  let port: UInt16
  private let scheme: String
  private let listener: Int32
  private let tls: TLS?
  private let handler: Mutex<Handler>
  private let received = Mutex<[Request]>([])

  /// - Parameters:
  ///   - certificate: The paths of a certificate and its key; `nil` for no TLS.
  ///   - handler: Answers a request; the first one has the number 1.
  init(
    _ certificate: (path: String, key: String)? = nil,
    _ handler: @escaping Handler = { _, _ in .status(201) }
  ) throws {
    self.handler = Mutex(handler)
    tls = try certificate.map { try TLS(certificate: $0.path, key: $0.key) }
    scheme = certificate == nil ? "http" : "https"
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw TestFailure("a push service can't listen") }
    TestThread.start { [self] in accept() }
  }

  var url: String { "\(scheme)://127.0.0.1:\(port)" }

  var requests: [Request] { received.withLock { $0 } }

  func behave(_ new: @escaping Handler) { handler.withLock { $0 = new } }

  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      TestThread.start { [self] in
        guard let connection = Connection(client, tls) else { return }
        while serve(connection) {}
      }
    }
    close(listener)
  }

  /// - Returns: Whether there may be another request.
  private func serve(_ connection: Connection) -> Bool {
    guard let request = connection.readRequest() else { return false }
    let number = received.withLock { received in
      received.append(request)
      return received.count
    }
    switch handler.withLock({ $0 })(request, number) {
    case .status(let status, let fields, let body):
      let head = ["HTTP/1.1 \(status) x", "Content-Length: \(body.utf8.count)"] + fields
      return connection.write(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    case .silence:
      // Until the other side has had enough.
      _ = connection.read()
      return false
    case .trickle:
      guard connection.write("HTTP/1.1 200 x\r\nContent-Length: 1000000\r\n\r\n") else {
        return false
      }
      while connection.write("x") { usleep(100_000) }
      return false
    }
  }

  /// The server's side of TLS.
  private final class TLS: @unchecked Sendable {
    // A context may be used from many threads once it is set up.
    let context: OpaquePointer

    init(certificate: String, key: String) throws {
      // OpenSSL writes without `MSG_NOSIGNAL`.
      signal(SIGPIPE, SIG_IGN)
      guard let context = SSL_CTX_new(TLS_server_method()),
        SSL_CTX_use_certificate_file(context, certificate, SSL_FILETYPE_PEM) == 1,
        SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
      else { throw TestFailure("no TLS for a push service") }
      self.context = context
    }

    deinit { SSL_CTX_free(context) }
  }

  /// A connection; confined to its thread.
  private final class Connection {
    private let descriptor: Int32
    private let ssl: OpaquePointer?
    private var buffered: [UInt8] = []

    init?(_ descriptor: Int32, _ tls: TLS?) {
      self.descriptor = descriptor
      ssl = tls.flatMap { SSL_new($0.context) }
      guard let ssl else { return }
      SSL_set_fd(ssl, descriptor)
      guard SSL_accept(ssl) == 1 else { return nil }
    }

    deinit {
      if let ssl { SSL_free(ssl) }
      close(descriptor)
    }

    func read() -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count =
        ssl.map { Int(SSL_read($0, &bytes, Int32(bytes.count))) }
        ?? recv(descriptor, &bytes, bytes.count, 0)
      return Array(bytes.prefix(max(0, count)))
    }

    func write(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      if let ssl { return SSL_write(ssl, bytes, Int32(bytes.count)) == bytes.count }
      return send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func readRequest() -> Request? {
      let mark = Array("\r\n\r\n".utf8)
      var end: Int?
      while end == nil {
        end = buffered.indices.dropLast(3).first { Array(buffered[$0..<($0 + 4)]) == mark }
        guard end == nil else { break }
        let piece = read()
        guard !piece.isEmpty else { return nil }
        buffered += piece
      }
      guard let end else { return nil }
      let lines = String(decoding: buffered[..<end], as: UTF8.self).split(separator: "\r\n")
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { continue }
        fields[parts[0].lowercased()] = parts[1].drop { $0 == " " }.description
      }
      let length = fields["content-length"].flatMap { Int($0) } ?? 0
      while buffered.count < end + 4 + length {
        let piece = read()
        guard !piece.isEmpty else { return nil }
        buffered += piece
      }
      let body = Array(buffered[(end + 4)..<(end + 4 + length)])
      buffered.removeFirst(end + 4 + length)
      let path = lines.first?.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      return Request(path: path, fields: fields, body: body)
    }
  }
}
