import Foundation
import TestPeers
import Testing

extension CommandTests {
  @Suite("connects to a gateway")
  struct ReachingTests {
    @Test("over TLS, with the authority from a flag, the environment or a profile")
    func authority() throws {
      let directory = try TemporaryDirectory()
      let certificate = directory.path(of: "certificate.pem")
      let key = directory.path(of: "key.pem")
      try SelfSignedCertificate.write(certificate: certificate, key: key)
      let server = try ServerProcess(
        CommandTests.quiet + [
          "--tls-listen", "127.0.0.1:0", "--tls-certificate", certificate, "--tls-private-key", key,
        ])
      let port = try #require(server.tlsPort)
      var environment = server.commandEnvironment
      environment["PARLEY_CLI_SERVER"] = "https://127.0.0.1:\(port)"
      // Loopback is never reached through it.
      environment["https_proxy"] = "http://127.0.0.1:1"
      func run(
        _ arguments: String..., adding: [String: String] = [:]
      ) throws
        -> CommandProcess.Outcome
      {
        try CommandProcess(arguments, environment: environment.merging(adding) { $1 }).finish()
      }
      let untrusted = try run("channel", "create", "lobby")
      #expect(untrusted.status == 2)
      #expect(untrusted.errors.contains("--ca-certificate"), "\(untrusted.errors)")
      let made = try run("channel", "create", "lobby", "--ca-certificate", certificate)
      #expect(made.status == 0, "\(made.errors)")
      let listed = try run("channel", "list", adding: ["PARLEY_CLI_CA_CERTIFICATE": certificate])
      #expect(listed.output.contains("lobby"), "\(listed.errors)")
      let strangers = try run("chat", "lobby", "--user", "ada")
      #expect(strangers.status == 2 && strangers.errors.contains("--ca-certificate"))
      let profile = directory.path(of: "profiles.yaml")
      try "test: {ca_certificate: \(certificate), user: ada}".write(
        toFile: profile, atomically: false, encoding: .utf8)
      let chat = try run("chat", "lobby", "--profile", "test", "--profile-file", profile)
      #expect(chat.status == 0, "\(chat.errors)")
      let wrongName = try run(
        "status", "--server", "https://127.0.0.2:\(port)", "--ca-certificate", certificate)
      #expect(wrongName.status == 2)
      let noFile = try run("status", "--ca-certificate", "/nonexistent")
      #expect(noFile.status == 64 && noFile.errors.contains("/nonexistent"))
      #expect(try run("status", "--ca-certificate", key).errors.contains("no certificate"))
    }

    @Test("and reports what to do when the connection fails")
    func advice() throws {
      let server = try ServerProcess(CommandTests.quiet)
      let nowhere = try server.run("status", "--server", "http://127.0.0.1:1")
      #expect(nowhere.status == 2 && nowhere.errors.contains("the gateway is running"))
      let wrong = try server.run("status", "--api-token", "wrong")
      #expect(wrong.status == 1 && wrong.errors.contains("--api-token-file"))
      let plain = try server.run("status", "--server", "https://127.0.0.1:\(server.port)")
      #expect(plain.status == 2 && plain.errors.contains("http://"), "\(plain.errors)")
      let socks = try CommandProcess(
        ["status", "--server", "http://192.0.2.1", "--api-token", "x"],
        environment: ["http_proxy": "socks5://127.0.0.1:1"]
      ).finish()
      #expect(socks.status == 64 && socks.errors.contains("http_proxy"), "\(socks.errors)")
    }

    @Test("through the proxy of the environment")
    func proxy() throws {
      let proxy = try PageServer(page: "the proxy's own page")
      defer { proxy.stop() }
      let outcome = try CommandProcess(
        ["status", "--server", "http://192.0.2.1:8080", "--api-token", "x"],
        environment: ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
      ).finish()
      #expect(outcome.status == 2, "\(outcome.errors)")
      #expect(proxy.requestedPaths == ["http://192.0.2.1:8080/v3/parley/status"])
    }
  }
}
