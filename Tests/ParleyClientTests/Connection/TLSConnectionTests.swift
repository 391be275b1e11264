import ClientSockets
import ClientTransport
@testable import ParleyClient
import Foundation
import Reactor
import Synchronization
import TestSupport
import Streams
import TestPeers
import Testing

@Suite("Connecting over TLS and through proxies", .onOwnThreads)
struct TLSConnectionTests {
  /// A TLS server whose certificate is for 127.0.0.1 and localhost, and trusts itself.
  private final class SecureServer: Sendable {
    let server: ScriptedServer
    let certificate: String
    private let directory: TemporaryDirectory

    /// - Parameter cutCount: How many connections are broken off within the handshake first.
    init(cutting cutCount: Int = 0) throws {
      let directory = try TemporaryDirectory()
      certificate = directory.path(of: "cert.pem")
      let key = directory.path(of: "key.pem")
      try SelfSignedCertificate.write(certificate: certificate, key: key)
      let context = try TLSServerContext(certificatePath: certificate, privateKeyPath: key)
      server = try ScriptedServer { socket, number in
        guard number >= cutCount else {
          _ = try socket.read(.standard)
          return
        }
        try WebSocketPeer(try TLSServerStream(socket, context)).answerAll()
      }
      self.directory = directory
    }

    func url(_ host: String = "127.0.0.1") -> String { "wss://\(host):\(server.port)" }
  }

  private func check(_ rig: EngineRig) async throws {
    _ = try await rig.open()
    let text = "{\"m\":\"\(String(repeating: "x", count: 100_000))\"}"
    #expect(try await rig.call("message.send", text).hasPrefix(#"{"n":"#))
    await rig.close()
  }

  @Test("a certificate that is not trusted is refused at once")
  func untrusted() async throws {
    let secure = try SecureServer()
    defer { secure.server.stop() }
    let error = await (try EngineRig(secure.url())).openFailure()
    #expect(
      error?.message.contains("certificate was rejected") == true, "\(String(describing: error))")
    #expect(secure.server.connectionCount == 1)
  }

  @Test("an authority given as a file or as text is trusted", arguments: [true, false])
  func trusted(asFile: Bool) async throws {
    let secure = try SecureServer()
    defer { secure.server.stop() }
    let text = try String(contentsOfFile: secure.certificate, encoding: .utf8)
    try await check(
      try EngineRig(secure.url()) {
        if asFile {
          $0.tls.authorityPaths = [secure.certificate]
        } else {
          $0.tls.authorityTexts = [text]
        }
        $0.compression = .notOffered
      })
  }

  @Test("a certificate for another name is refused, unless that is the name to expect")
  func wrongName() async throws {
    let secure = try SecureServer()
    defer { secure.server.stop() }
    let loop = try ClientLoop(
      resolver: NameResolver { _, port in
        .success([SocketAddress(host: "127.0.0.1", port: port)].compactMap(\.self))
      })
    let wrong = try EngineRig(secure.url("chat.test"), on: loop) {
      $0.tls.authorityPaths = [secure.certificate]
    }
    let error = await wrong.openFailure()
    #expect(
      error?.message.contains("certificate was rejected") == true, "\(String(describing: error))")
    try await check(
      try EngineRig(secure.url("chat.test"), on: loop) {
        $0.tls.authorityPaths = [secure.certificate]
        $0.tls.serverName = "localhost"
      })
  }

  @Test("without verification any certificate is accepted")
  func unverified() async throws {
    let secure = try SecureServer()
    defer { secure.server.stop() }
    try await check(try EngineRig(secure.url()) { $0.tls.verification = .none })
  }

  @Test("unreadable authorities are reported")
  func unreadableAuthorities() async throws {
    let secure = try SecureServer()
    defer { secure.server.stop() }
    let missing = try EngineRig(secure.url()) { $0.tls.authorityPaths = ["/nowhere/ca.pem"] }
    #expect(await missing.openFailure()?.message.contains("/nowhere/ca.pem") == true)
    let empty = try EngineRig(secure.url()) { $0.tls.authorityTexts = ["no certificate"] }
    #expect(await empty.openFailure()?.message.contains("no certificate in PEM form") == true)
  }

  @Test("a server that does not speak TLS is refused")
  func plainServer() async throws {
    let server = try ScriptedServer { socket, _ in
      _ = try socket.read(.standard)
      try socket.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), .standard)
      _ = try? socket.readToEnd()
    }
    defer { server.stop() }
    let error = await (try EngineRig("wss://127.0.0.1:\(server.port)")).openFailure()
    guard case .connectionFailed = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.connectionCount == 1)
  }

  @Test("a connection that breaks off within the TLS handshake is retried")
  func cutHandshake() async throws {
    let secure = try SecureServer(cutting: 2)
    defer { secure.server.stop() }
    let rig = try EngineRig(secure.url()) { $0.tls.authorityPaths = [secure.certificate] }
    _ = try await rig.open()
    #expect(secure.server.connectionCount == 3)
    await rig.close()
  }

  @Test("a proxy receives CONNECT with the URL's user and password")
  func throughProxy() async throws {
    let secure = try SecureServer()
    defer { secure.server.stop() }
    let asked = RequestLog()
    let proxy = try RelayingProxy(
      answer: "HTTP/1.1 200 Connection established\r\n\r\n", to: secure.server.port, asked)
    defer { proxy.server.stop() }
    try await check(
      try EngineRig(secure.url()) {
        $0.tls.authorityPaths = [secure.certificate]
        $0.proxyURL = "http://jeff:p%40ss@127.0.0.1:\(proxy.server.port)"
      })
    let text = asked.text
    #expect(text.hasPrefix("CONNECT 127.0.0.1:\(secure.server.port) HTTP/1.1\r\n"))
    #expect(text.contains("Proxy-Authorization: Basic amVmZjpwQHNz\r\n"))
  }

  @Test(
    "a refusal by the proxy is reported",
    arguments: [
      ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 9\r\n\r\n", "407"),
      ("HTTP/1.1 403 Forbidden\r\n\r\n", "403"), ("nonsense\r\n\r\n", "no HTTP"),
    ])
  func refusingProxy(answer: String, word: String) async throws {
    let proxy = try RelayingProxy(answer: answer, to: 1, RequestLog())
    defer { proxy.server.stop() }
    let rig = try EngineRig("ws://chat.test:80") {
      $0.proxyURL = "http://127.0.0.1:\(proxy.server.port)"
    }
    let error = await rig.openFailure()
    #expect(error?.message.contains(word) == true, "\(String(describing: error))")
    #expect(proxy.server.connectionCount == 1)
  }
}
