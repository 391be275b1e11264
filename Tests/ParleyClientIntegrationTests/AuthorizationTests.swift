import ParleyClient
import TestPeers
import Testing

extension ClientTests {
  @Suite("authenticates")
  struct AuthorizationTests {
    private static let settings =
      unlimited + ["--auth-mode", "token", "--auth-jwt-secret", WebToken.secret]

    @Test("and is refused without a token")
    func refused() async throws {
      let server = try ServerProcess(Self.settings)
      let error = await #expect(throws: ParleyError.self) { try await server.client("ann") }
      guard case .unauthorized = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(error?.code == 400_302)
    }

    @Test("again with a new token when the old one is about to expire")
    func refresh() async throws {
      let server = try ServerProcess(Self.settings)
      let proxy = try CuttingProxy(to: server.port)
      defer { proxy.stop() }
      var configuration = ParleyClientConfiguration(serverURL: proxy.url)
      configuration.requestTimeout = .seconds(120)
      let client = ParleyClient(configuration: configuration)
      var events = client.events.makeAsyncIterator()
      let first = WebToken.make(userID: "ann", expiresIn: 30)
      try await client.connect(userID: "ann", accessToken: first)
      let expiry = try await events.first { event in
        if case .sessionExpiring(let time) = event.connection { time } else { nil }
      }
      #expect(expiry > 0)
      await #expect(throws: ParleyError.self) { try await client.refresh(accessToken: "wrong") }
      try await client.refresh(accessToken: WebToken.make(userID: "ann", expiresIn: 3600))
      let lobby = try await client.enterNewChannel()
      proxy.cutNow()
      _ = try await events.first(\.reconnected)
      #expect(try await lobby.sendUserMessage("still here").sender?.userID == "ann")
    }

    @Test("and reports an expired token as unauthorized, without reconnecting")
    func expired() async throws {
      let server = try ServerProcess(Self.settings)
      var configuration = ParleyClientConfiguration(serverURL: server.url)
      configuration.requestTimeout = .seconds(120)
      let client = ParleyClient(configuration: configuration)
      var events = client.events.makeAsyncIterator()
      try await client.connect(
        userID: "ann", accessToken: WebToken.make(userID: "ann", expiresIn: 6))
      let reason = try await events.first { event in
        if case .disconnected(let reason) = event.connection { reason } else { nil }
      }
      guard case .unauthorized = reason else {
        Issue.record("\(reason)")
        return
      }
      let error = await #expect(throws: ParleyError.self) {
        try await client.openChannel(url: "lobby")
      }
      #expect(error == .notConnected)
    }

    @Test("and checks the server's certificate over TLS")
    func tls() async throws {
      let directory = try TemporaryDirectory()
      let (certificate, key) = (directory.path(of: "cert.pem"), directory.path(of: "key.pem"))
      try SelfSignedCertificate.write(certificate: certificate, key: key)
      let server = try ServerProcess(
        unlimited + [
          "--tls-listen", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-private-key", key,
        ])
      let url = "wss://127.0.0.1:\(try #require(server.tlsPort))"
      let error = await #expect(throws: ParleyError.self) {
        try await connectedClient(to: url, "ann") { $0.connectTimeout = .seconds(20) }
      }
      guard case .connectionFailed = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      let client = try await connectedClient(to: url, "ann") {
        $0.tls.authorityPaths = [certificate]
      }
      let lobby = try await client.enterNewChannel()
      #expect(try await lobby.sendUserMessage("hi").message == "hi")
    }

    @Test("and reports an invalid address at once", arguments: ["", "http://a", "ws://"])
    func address(url: String) async {
      let client = ParleyClient(configuration: ParleyClientConfiguration(serverURL: url))
      let error = await #expect(throws: ParleyError.self) {
        try await client.connect(userID: "ann")
      }
      guard case .invalidConfiguration = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }
}
