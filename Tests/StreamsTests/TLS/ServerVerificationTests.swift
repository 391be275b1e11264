import Foundation
import TestSupport
import Streams
import Testing

@Suite("Verifying the server", .onOwnThreads)
struct ServerVerificationTests {
  let workspace: Workspace

  init() throws {
    workspace = try Workspace()
  }

  private func rejection(
    hostname: String = "localhost", trust: TLSClientContext? = nil
  ) throws
    -> String?
  {
    let conversation = try Conversation(
      client: trust ?? workspace.makeClientContext(), server: workspace.makeServerContext(),
      hostname: hostname)
    do {
      try conversation.begin()
      return nil
    } catch TLSError.certificateRejected(let reason) {
      #expect(throws: TLSError.self, "the server is told by an alert") {
        try conversation.deliverToServer()
      }
      return reason
    }
  }

  @Test("a certificate for the name or the address is accepted")
  func accepted() throws {
    #expect(try rejection(hostname: "localhost") == nil)
    #expect(try rejection(hostname: "127.0.0.1") == nil)
  }

  @Test("a certificate for another name or address is rejected")
  func otherName() throws {
    #expect(try rejection(hostname: "example.org") == "hostname mismatch")
    #expect(try rejection(hostname: "127.0.0.2") == "IP address mismatch")
  }

  @Test("a certificate that has the name in its subject only is rejected")
  func commonName() throws {
    try workspace.install(
      Certificate(names: [], commonName: "localhost", issuer: workspace.authority))
    #expect(try rejection() == "hostname mismatch")
  }

  @Test("an expired certificate is rejected")
  func expired() throws {
    try workspace.install(
      Certificate(
        names: ["DNS:localhost"], issuer: workspace.authority, lifetime: -7200 ... -3600))
    #expect(try rejection() == "certificate has expired")
  }

  @Test("a certificate of an untrusted authority is rejected")
  func untrusted() throws {
    let reason = try rejection(trust: TLSClientContext())
    #expect(reason == "self-signed certificate in certificate chain")
  }

  @Test("an invalid host name is refused", arguments: ["", "a\0b"])
  func impossibleName(name: String) throws {
    let context = try workspace.makeClientContext()
    #expect(throws: TLSError.self) { try TLSSession(client: context, hostname: name) }
  }

  @Test("authorities are trusted from several files and texts")
  func severalAuthorities() throws {
    let path = workspace.path("authority-of-this-test.pem")
    try workspace.authority.writeCertificate(to: path)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let other = workspace.path("another-authority.pem")
    // Of another name: OpenSSL takes the first issuer whose name fits.
    try Certificate(names: ["DNS:other"]).writeCertificate(to: other)
    let trusts = [
      TLSTrust(authorityPaths: [other, path]), TLSTrust(authorityTexts: [text]),
      TLSTrust(authorityPaths: [other], authorityTexts: ["# a comment\n" + text]),
    ]
    for trust in trusts { #expect(try rejection(trust: TLSClientContext(trust: trust)) == nil) }
  }

  @Test("without verification any certificate is accepted")
  func unverified() throws {
    let context = try TLSClientContext(trust: TLSTrust(verification: .none))
    #expect(try rejection(hostname: "example.org", trust: context) == nil)
  }

  @Test(
    "a text without a certificate is refused",
    arguments: ["", "nonsense", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
  func unusableText(text: String) {
    #expect(throws: TLSError.self) {
      try TLSClientContext(trust: TLSTrust(authorityTexts: [text]))
    }
  }
}
