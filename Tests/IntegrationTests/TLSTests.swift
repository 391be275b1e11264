import Foundation
import TestSupport
import Streams
import ParleyProtocol
import Testing
import TestPeers

extension ServerTests {
  @Suite("with a certificate")
  struct TLSTests {
    private let files: TemporaryDirectory
    private let server: ServerProcess

    init() throws {
      files = try TemporaryDirectory()
      try SelfSignedCertificate.write(
        certificate: files.path(of: "server.pem"), key: files.path(of: "server.key"))
      server = try ServerProcess([
        "--tls-listen", "127.0.0.1:0", "--tls-certificate", files.path(of: "server.pem"),
        "--tls-private-key", files.path(of: "server.key"), "--unfurl-mode", "off",
      ])
    }

    @Test("supports WebSocket over TLS, compressed if the client offers it")
    func compressed() throws {
      let jeff = try server.open("jeff", trusted(), compression: .offered)
      #expect(jeff.connection.agreement != nil)
      let mia = try server.open("mia")
      try jeff.create("lobby")
      for client in [jeff, mia] { try client.enter("lobby") }
      let text = String(repeating: "a long and dull message, ", count: 100)
      let sent = try mia.send(text, to: "lobby")
      let received = try jeff.event("message.received")
      #expect(received.messageID == sent.id)
      #expect(received.params?["message"]?["message"]?.string == text)
      let answer = try jeff.send(text, to: "lobby")
      #expect(try mia.event("message.received").messageID == answer.id)
      #expect(try HTTPAnswer(to: "/readyz", over: TLSStream(port: port, trusted())).status == 200)
    }

    @Test("loads a new one on SIGHUP for new connections; existing ones stay open")
    func reload() throws {
      let old = try trusted()
      let jeff = try server.open("jeff", old)
      try SelfSignedCertificate.write(
        certificate: files.path(of: "server.pem"), key: files.path(of: "server.key"))
      let new = try trusted()
      #expect(throws: TLSError.self) { try TLSStream(port: port, new) }
      server.process.send(signal: SIGHUP)
      try Deadline.standard.wait(for: "the new certificate") {
        (try? TLSStream(port: port, new)) != nil
      }
      #expect(throws: TLSError.self) { try TLSStream(port: port, old) }
      #expect(try jeff.call("session.ping")["time"] != nil)
    }

    @Test("keeps the old one if the new one cannot be used, and logs the error")
    func brokenReload() throws {
      let context = try trusted()
      try Data("not a certificate".utf8).write(
        to: URL(fileURLWithPath: files.path(of: "server.pem")))
      server.process.send(signal: SIGHUP)
      try Deadline.standard.wait(for: "a complaint in the log") {
        server.process.log.text.contains("server.pem")
      }
      #expect(try server.open("jeff", context).call("session.ping")["time"] != nil)
    }

    @Test("closes plain HTTP on the TLS port, and refuses TLS 1.1")
    func wrongProtocols() throws {
      let plain = try StreamSocket(port: port)
      try plain.write(Array("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), .standard)
      let answer = try plain.readToEnd()
      #expect(!String(decoding: answer, as: UTF8.self).contains("200"))

      let old = try StreamSocket(port: port)
      try old.write(Self.helloOfTLS11, .standard)
      let alert = try old.readToEnd()
      // A fatal alert (RFC 8446 §6): protocol_version.
      #expect(alert.first == 21)
      #expect(Array(alert.suffix(2)) == [2, 70])
      #expect(try server.open("mia", trusted()).call("session.ping")["time"] != nil)
    }

    /// A ClientHello that offers TLS 1.1 at most (RFC 4346 §7.4.1.2).
    private static let helloOfTLS11: [UInt8] = {
      let ciphers: [UInt8] = [0xC0, 0x13, 0xC0, 0x14, 0xC0, 0x09, 0x00, 0x2F]
      let hello: [UInt8] =
        [3, 2] + [UInt8](repeating: 7, count: 32) + [0, 0, UInt8(ciphers.count)] + ciphers + [1, 0]
      let handshake = [1, 0, 0, UInt8(hello.count)] + hello
      return [22, 3, 1, 0, UInt8(handshake.count)] + handshake
    }()

    private var port: UInt16 { server.tlsPort ?? 0 }

    /// Trusts the certificate that is in the file now.
    private func trusted() throws -> TLSClientContext {
      try TLSClientContext(extraAuthoritiesPath: files.path(of: "server.pem"))
    }
  }
}
