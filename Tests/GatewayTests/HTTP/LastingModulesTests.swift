import Glibc
import HTTP
import Logging
import TestPeers
import Testing

@testable import Gateway

@Suite("Lasting modules")
struct LastingModulesTests {
  private let directory: TemporaryDirectory
  private let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  init() throws { directory = try TemporaryDirectory() }

  private func module(_ text: String, stem: String = "parley-") -> LastingModule {
    LastingModule(Array(text.utf8), stem: stem)
  }

  private func start(_ modules: [LastingModule]) -> LastingModules {
    LastingModules(modules, inDirectory: directory.path + "/modules", logger: logger)
  }

  @Test("names have the beginning of the hash")
  func names() {
    let name = module("export {};").name
    #expect(name.count == "parley-0123456789abcdef.js".count)
    #expect(LastingModule.stem(of: name) == "parley-")
    #expect(LastingModule.stem(of: module("x", stem: "parley-store-").name) == "parley-store-")
    for other in [
      "parley.js", "parley-store.js", "parley-0123456789ABCDEF.js", "other-0123456789abcdef.js",
      "parley-0123456789abcdef.d.ts", "parley-0123456789abcde.js", "../parley-0123456789abcdef.js",
      "parley-0123456789abcdeg.js", ".js", "",
    ] {
      #expect(LastingModule.stem(of: other) == nil, "\(other)")
    }
  }

  @Test("a version is served after the next one has started, also twice")
  func upgrades() throws {
    let (first, second) = (module("1"), module("2"))
    #expect(start([first]).document(named: first.name) != nil)
    let later = start([second])
    #expect(later.document(named: second.name) != nil)
    let head = HTTPRequestHead(method: "GET", target: "/")
    for _ in 0..<2 {
      let found = try #require(later.document(named: first.name))
      #expect(found.response(to: head).body == first.content)
      #expect(
        found.response(to: head).fields["Cache-Control"] == "public, max-age=31536000, immutable")
    }
    #expect(later.document(named: module("3").name) == nil)
    #expect(LastingModules([second]).document(named: first.name) == nil)
  }

  @Test("a damaged file is not served")
  func damage() throws {
    let first = module("1")
    _ = start([first])
    let path = directory.path + "/modules/" + first.name
    #expect(truncate(path, 0) == 0)
    #expect(start([module("2")]).document(named: first.name) == nil)
  }

  @Test("the versions that ran longest ago are removed, of each module by itself")
  func room() throws {
    let other = module("x", stem: "parley-store-")
    let versions = (0..<LastingModules.versionLimit + 3).map { module("\($0)") }
    for (number, version) in versions.enumerated() {
      _ = start(number == 0 ? [version, other] : [version])
      // The times of files are compared in seconds.
      let path = directory.path + "/modules/" + version.name
      var times = [
        timeval(tv_sec: 1_000 + number, tv_usec: 0), timeval(tv_sec: 1_000 + number, tv_usec: 0),
      ]
      #expect(utimes(path, &times) == 0)
    }
    let last = start([module("last")])
    let kept = versions.filter { last.document(named: $0.name) != nil }
    #expect(kept.map(\.name) == versions.suffix(LastingModules.versionLimit - 1).map(\.name))
    #expect(last.document(named: other.name) != nil)
  }

  @Test("without a directory the present modules are served")
  func noDirectory() {
    let module = module("1")
    let modules = LastingModules([module], inDirectory: "/nonexistent/modules", logger: logger)
    #expect(modules.document(named: module.name) != nil)
  }
}
