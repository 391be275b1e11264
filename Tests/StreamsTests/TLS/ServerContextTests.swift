import Foundation
import TestSupport
import Streams
import Testing

@Suite("A server's certificate files", .onOwnThreads)
struct ServerContextTests {
  let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func problem(certificate: String = "server.pem", key: String = "server.key") -> TLSError?
  {
    do {
      _ = try TLSServerContext(
        certificatePath: workspace.path(certificate), privateKeyPath: workspace.path(key))
      return nil
    } catch {
      return error
    }
  }

  @Test("a missing file is reported with the reason")
  func missing() {
    let path = workspace.path("none.pem")
    let error = problem(certificate: "none.pem")
    #expect(error == .unusableFile(path: path, problem: .unreadable(errno: 2)))
    #expect(error?.description == "\(path): No such file or directory")
    #expect(
      problem(key: "none.pem") == .unusableFile(path: path, problem: .unreadable(errno: 2)))
  }

  @Test("a directory is not a certificate")
  func directory() {
    #expect(
      problem(certificate: "")
        == .unusableFile(path: workspace.path(""), problem: .unreadable(errno: 21)))
  }

  @Test("a file of more than 1 MiB is not read")
  func tooLarge() throws {
    try workspace.write(String(repeating: "a", count: 1_048_577), to: "large.pem")
    #expect(
      problem(certificate: "large.pem")
        == .unusableFile(path: workspace.path("large.pem"), problem: .unreadable(errno: 27)))
  }

  @Test("a file without PEM is refused", arguments: ["", "hello", "-----BEGIN CERTIFICATE-----\n"])
  func notPEM(text: String) throws {
    try workspace.write(text, to: "bad.pem")
    let path = workspace.path("bad.pem")
    #expect(
      problem(certificate: "bad.pem") == .unusableFile(path: path, problem: .noCertificate))
    #expect(problem(key: "bad.pem") == .unusableFile(path: path, problem: .noPrivateKey))
  }

  @Test("certificate and key in the wrong places are refused")
  func swapped() {
    #expect(
      problem(certificate: "server.key")
        == .unusableFile(path: workspace.path("server.key"), problem: .noCertificate))
    #expect(
      problem(key: "server.pem")
        == .unusableFile(path: workspace.path("server.pem"), problem: .noPrivateKey))
  }

  @Test("a damaged certificate in the chain is refused")
  func damagedChain() throws {
    let damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
    let path = workspace.path("server.pem")
    try workspace.write(String(contentsOfFile: path, encoding: .utf8) + damaged, to: "server.pem")
    #expect(problem() == .unusableFile(path: path, problem: .damagedCertificate))
  }

  @Test("a key of another certificate is refused, both files named")
  func mismatch() throws {
    try Certificate(names: ["DNS:localhost"]).writeKey(to: workspace.path("other.key"))
    let error = problem(key: "other.key")
    #expect(
      error
        == .keyDoesNotMatch(
          certificatePath: workspace.path("server.pem"),
          privateKeyPath: workspace.path("other.key")))
  }

  @Test("an encrypted key is refused without asking for a passphrase")
  func encryptedKey() throws {
    try Certificate(names: ["DNS:localhost"]).writeEncryptedKey(
      to: workspace.path("locked.key"))
    #expect(
      problem(key: "locked.key")
        == .unusableFile(path: workspace.path("locked.key"), problem: .noPrivateKey))
  }

  @Test("ALPN names that are empty or too long are refused")
  func badALPN() {
    for name in ["", String(repeating: "a", count: 256)] {
      #expect(throws: TLSError.self) { try workspace.makeServerContext(alpn: [name]) }
    }
  }

  @Test("a trust file without a certificate is refused")
  func badAuthorities() throws {
    try workspace.write("nothing", to: "bad.pem")
    let path = workspace.path("bad.pem")
    #expect(throws: TLSError.unusableFile(path: path, problem: .noCertificate)) {
      try TLSClientContext(extraAuthoritiesPath: path)
    }
  }
}
