import COpenSSL
import Foundation
import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

/// Each way a server can fail to prove who it is.
@Suite("TLS errors", .onOwnThreads)
struct TLSAttackTests {
  /// What a server shows.
  enum Proof: CaseIterable, Sendable {
    case good, expired, notYetValid, wrongHost, commonName, selfSigned, unknownAuthority, outdated
  }

  private func identity(for proof: Proof, _ authority: TestIdentity) throws -> TestIdentity {
    switch proof {
    case .good, .outdated: try TestIdentity(.host("page.example"), issuer: authority)
    case .expired:
      try TestIdentity(.host("page.example"), issuer: authority, validity: -7_200 ..< -3_600)
    case .notYetValid:
      try TestIdentity(.host("page.example"), issuer: authority, validity: 3_600..<7_200)
    case .wrongHost: try TestIdentity(.host("other.example"), issuer: authority)
    case .commonName: try TestIdentity(.commonName("page.example"), issuer: authority)
    case .selfSigned: try TestIdentity(.host("page.example"))
    case .unknownAuthority:
      try TestIdentity(
        .host("page.example"), issuer: try TestIdentity(.authority("Somebody Else")))
    }
  }

  private func reason(_ proof: Proof) -> String? {
    switch proof {
    case .good: nil
    case .expired: "has expired"
    case .notYetValid: "not yet valid"
    case .wrongHost: "host name 'page.example'"
    case .commonName: "ostname mismatch"
    case .selfSigned: "self-signed"
    case .unknownAuthority: "unable to get local issuer certificate"
    case .outdated: "alert"
    }
  }

  @Test(
    "a certificate is accepted only when all its properties are valid", arguments: Proof.allCases)
  func certificates(proof: Proof) async throws {
    let authority = try TestIdentity(.authority("Test Authority"))
    let trusted = try authority.writeCertificate()
    defer { try? FileManager.default.removeItem(atPath: trusted) }
    let tls = try LocalTLS(
      try identity(for: proof, authority), newestVersion: proof == .outdated ? TLS1_1_VERSION : 0)
    let server = try LocalServer(tls: tls) { $0.respond("<title>T</title>") }
    defer { server.stop() }
    var configuration = try LocalConfiguration.closed(server, allowing: ["127.0.0.1/32"])
    configuration.certificateAuthorities = trusted
    let report = try await report(on: "https://page.example:\(server.port)/", configuration)
    if let reason = reason(proof) {
      let problem = try #require(report.problem)
      #expect(problem.contains("TLS: "))
      #expect(problem.contains(reason), "\(problem)")
      #expect(server.paths.isEmpty)
    } else {
      #expect(report.tag?.title == "T")
      let request = try #require(report.trace.requests.first)
      #expect(request.tlsHandshake >= request.connect && request.connect > 0)
    }
  }

  @Test("a test certificate is not accepted with the system's authorities")
  func systemAuthorities() async throws {
    let authority = try TestIdentity(.authority("Test Authority"))
    let tls = try LocalTLS(try TestIdentity(.host("page.example"), issuer: authority))
    let server = try LocalServer(tls: tls) { $0.respond("<title>T</title>") }
    defer { server.stop() }
    let configuration = try LocalConfiguration.closed(server, allowing: ["127.0.0.1/32"])
    let report = try await report(on: "https://page.example:\(server.port)/", configuration)
    #expect(try #require(report.problem).contains("TLS: "))
  }

  @Test("a server that speaks no TLS, or ends the handshake, is distinguished from a slow one")
  func noHandshake() async throws {
    let plain = try LocalServer { $0.respond("<title>T</title>") }
    defer { plain.stop() }
    // It hangs up when it sees that this is no HTTP.
    let cut = try await report(on: "https://127.0.0.1:\(plain.port)/")
    #expect(try #require(cut.problem).contains("TLS: "))
    let talker = try LocalServer(after: .none) { $0.send("HTTP/1.1 200 OK\r\n\r\n") }
    defer { talker.stop() }
    let confused = try await report(on: "https://127.0.0.1:\(talker.port)/")
    #expect(try #require(confused.problem).contains("TLS: "))
    let silent = try LocalServer(after: .none) { $0.waitForEnd() }
    defer { silent.stop() }
    let slow = try await report(
      on: "https://127.0.0.1:\(silent.port)/", deadline: .milliseconds(300))
    #expect(slow.outcome == .failure(.timedOut))
    #expect(slow.problem == "timed out while connecting or agreeing on TLS")
  }
}
