import Glibc
import LinkPreview
import ParleyProtocol
import TestSupport
import Testing

@testable import Unfurler

@Suite("Proxies", .onOwnThreads)
struct ProxyTests {
  private static func proxy() throws -> LocalServer {
    try LocalServer { $0.respond("<title>\($0.path)</title>") }
  }

  @Test("all requests use the configured proxy, whose address is exempt")
  func configured() async throws {
    let proxy = try Self.proxy()
    defer { proxy.stop() }
    var configuration = UnfurlerConfiguration()
    configuration.proxy = proxy.url("")
    let report = try await report(on: "http://page.example/x", configuration)
    #expect(report.tag?.title == "http://page.example/x")
    #expect(report.trace.requests.first?.address == "127.0.0.1")
  }

  @Test("literal addresses in a URL are checked before the proxy is contacted")
  func judged() async throws {
    let proxy = try Self.proxy()
    defer { proxy.stop() }
    var configuration = UnfurlerConfiguration()
    configuration.proxy = proxy.url("")
    configuration.domainRules = try DomainRules(denied: [Domain("denied.example")])
    for url in [
      "http://10.0.0.1/", "http://[::1]/", "http://denied.example/", "http://page.example:22/",
    ] {
      #expect(try await report(on: url, configuration).tag == nil, "\(url)")
    }
    #expect(proxy.connectionCount == 0)
  }

  @Test("a proxy in the environment is not used")
  func environment() async {
    // The environment is that of all tests of a process, so this one has a process of its own.
    await #expect(processExitsWith: .success) {
      let proxy = try ProxyTests.proxy()
      defer { proxy.stop() }
      let server = try LocalServer { $0.respond("<title>T</title>") }
      defer { server.stop() }
      setenv("http_proxy", proxy.url(""), 1)
      #expect(try await report(on: server.url("/")).tag?.title == "T")
      #expect(proxy.connectionCount == 0)
    }
  }
}
