import Foundation
import LinkPreview
import Reactor
import TestSupport
import Testing

@testable import Unfurler

@Suite("Domain rules", .onOwnThreads)
struct DomainRulesTests {
  private func temporaryPath() -> String {
    FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  }

  private func isRefused(_ name: String, by rules: DomainRules) throws -> Bool {
    rules.refusal(of: try #require(WebURL("http://\(name)/")).host) != nil
  }

  @Test("the opt-out file is read again on request, and an invalid one changes nothing")
  func reload() throws {
    let path = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "a.example\n".write(toFile: path, atomically: true, encoding: .utf8)
    let rules = try DomainRules(denied: [Domain("bad.example")], optOutFile: path)
    #expect(try isRefused("www.a.example", by: rules))
    #expect(try isRefused("bad.example", by: rules))
    #expect(try !isRefused("b.example", by: rules))
    try "b.example\nc.example\n".write(toFile: path, atomically: true, encoding: .utf8)
    try rules.reload()
    #expect(try isRefused("b.example", by: rules))
    #expect(try !isRefused("a.example", by: rules))
    #expect(rules.optedOutCount == 2)
    try "d.example\nno domain\n".write(toFile: path, atomically: true, encoding: .utf8)
    let error = try #require(throws: DomainRulesError.self) { try rules.reload() }
    #expect(error.description.hasPrefix("\(path): line 2: "))
    #expect(try isRefused("b.example", by: rules))
    #expect(try !isRefused("d.example", by: rules))
    try FileManager.default.removeItem(atPath: path)
    let gone = try #require(throws: DomainRulesError.self) { try rules.reload() }
    #expect(gone.description.contains(path))
    #expect(rules.optedOutCount == 2)
  }

  @Test("domains of reloaded settings replace the old ones, and the opt-out file's stay")
  func adopts() throws {
    let path = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "a.example\n".write(toFile: path, atomically: true, encoding: .utf8)
    let rules = try DomainRules(denied: [Domain("bad.example")], optOutFile: path)
    try rules.adopt(allowed: [], denied: [Domain("worse.example")])
    #expect(try !isRefused("bad.example", by: rules) && isRefused("worse.example", by: rules))
    #expect(try isRefused("a.example", by: rules))
    try rules.adopt(allowed: [Domain("good.example")], denied: [])
    #expect(try isRefused("worse.example", by: rules) && !isRefused("good.example", by: rules))
  }

  @Test("a list that cannot be read from disk is an error, and the old one stays")
  func failingDisk() throws {
    let path = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "a.example\n".write(toFile: path, atomically: true, encoding: .utf8)
    let rules = try DomainRules(optOutFile: path)
    for (kind, code) in [(SystemCall.open, EMFILE), (.read, EIO)] {
      let kernel = ScriptedKernel { $0.kind == kind ? .fail(code) : .pass }
      let error = #expect(throws: DomainRulesError.self) { try kernel.run { try rules.reload() } }
      #expect(error?.description.contains(path) == true)
      #expect(try isRefused("a.example", by: rules))
      #expect(kernel.openDescriptors.isEmpty)
    }
  }

  @Test("a missing file, a directory, or an invalid name is an error at the start")
  func start() throws {
    #expect(throws: DomainRulesError.self) {
      try DomainRules(optOutFile: temporaryPath())
    }
    #expect(throws: DomainRulesError.self) {
      try DomainRules(optOutFile: "/")
    }
    #expect(throws: DomainTextError.self) { try Domain("a b") }
    #expect(throws: DomainTextError.self) { try Domain("1.2.3.4") }
    try DomainRules().reload()
  }

  @Test("domains are checked before the first request and before each redirect")
  func requests() async throws {
    let server = try LocalServer { client in
      client.path == "/"
        ? client.redirect(to: "http://www.bad.example:\(client.port)/")
        : client.respond("<title>T</title>")
    }
    defer { server.stop() }
    var configuration = try LocalConfiguration.closed(server, allowing: ["127.0.0.1/32"])
    configuration.pinnedHosts.append("www.bad.example:\(server.port):127.0.0.1")
    configuration.domainRules = try DomainRules(denied: [Domain("bad.example")])
    let denied = try await report(on: "http://www.bad.example:\(server.port)/x", configuration)
    #expect(denied.outcome == .failure(.failed("the domain bad.example is denied")))
    #expect(server.connectionCount == 0)
    let redirected = try await report(on: "http://page.example:\(server.port)/", configuration)
    #expect(redirected.outcome == .failure(.failed("the domain bad.example is denied")))
    #expect(server.paths == ["/"])
    configuration.domainRules = try DomainRules(allowed: [Domain("example")])
    let allowed = try await report(on: "http://page.example:\(server.port)/x", configuration)
    #expect(allowed.tag != nil)
    let address = try await report(on: server.url("/x"), configuration)
    #expect(
      address.outcome == .failure(.failed("127.0.0.1 is not among the allowed domains")))
  }
}
