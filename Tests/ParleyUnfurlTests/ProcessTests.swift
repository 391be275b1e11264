import Foundation
import HTTP
import TestPeers
import TestSupport
import Testing

@Suite("parley-unfurl", .patientTimeLimit(minutes: 5), .onOwnThreads)
struct ProcessTests {
  private func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) throws -> (ending: Parleyd.Ending, text: String) {
    let process = try Parleyd(arguments, environment: environment, program: "parley-unfurl")
    return (try process.waitForEnd(), process.log.text)
  }

  private func question(_ url: String) -> String { #"{"url":"\#(url)","timeout_ms":20000}"# }

  @Test("it looks up a page and reports the outcome")
  func looksUp() throws {
    let pages = try PageServer(page: #"<meta property="og:title" content="Hello">"#)
    defer { pages.stop() }
    let service = try ServiceChild()
    let response = try service.connect().post(question(pages.url("/a")))
    #expect(response.status == .ok)
    #expect(response.text.contains(#""og:title":"Hello""#))
    #expect(pages.requestedPaths == ["/a"])
    let missing = try service.connect().post(question("http://127.0.0.1:1/"))
    #expect(missing.status == .badGateway)
    #expect(missing.text.hasPrefix(#"{"error":"failed","message":""#))
  }

  @Test("addresses that are not public are refused unless they are allowed")
  func guards() throws {
    let pages = try PageServer(page: "<title>T</title>")
    defer { pages.stop() }
    let service = try ServiceChild(["--unfurl-allow-ports", "1-65535"], reaching: .publicOnly)
    let response = try service.connect().post(question(pages.url("/")))
    #expect(response.status == .badGateway)
    #expect(response.text.contains("not a public address"))
    #expect(pages.requestedPaths.isEmpty)
  }

  @Test("closing the connection ends the fetch, and the connection to the page's server")
  func cancels() throws {
    let pages = try HangingServer()
    defer { pages.stop() }
    let service = try ServiceChild()
    let peer = try service.connect()
    try peer.sendPost(question(pages.url))
    try Deadline.standard.wait(for: "a fetch") { pages.asked == 1 }
    peer.close()
    try Deadline.standard.wait(for: "the end of the fetch") { pages.gone == 1 }
  }

  @Test("SIGTERM ends it with status 0, a second SIGTERM at once")
  func signals() throws {
    let pages = try HangingServer()
    defer { pages.stop() }
    let service = try ServiceChild()
    let peer = try service.connect()
    try peer.sendPost(question(pages.url))
    try Deadline.standard.wait(for: "a fetch") { pages.asked == 1 }
    service.process.send(signal: 15)
    try Deadline.standard.wait(for: "a service that is not ready") {
      try service.connect().request("GET", "/readyz").status == .serviceUnavailable
    }
    #expect(service.process.isRunning)
    service.process.send(signal: 15)
    #expect(try peer.readResponse().text.hasPrefix(#"{"error":"cancelled""#))
    peer.close()
    #expect(try service.process.waitForEnd() == .exited(0))
    let idle = try ServiceChild()
    idle.process.send(signal: 15)
    #expect(try idle.process.waitForEnd() == .exited(0))
    #expect(idle.process.log.text.contains("stopped"))
  }

  @Test("SIGHUP reads the opt-out file again, and a broken one changes nothing")
  func reloads() throws {
    let pages = try PageServer(page: "<title>T</title>")
    defer { pages.stop() }
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "opt-out")
    func write(_ text: String) throws {
      try text.write(toFile: path, atomically: true, encoding: .utf8)
    }
    try write("# nobody yet\n")
    let service = try ServiceChild(["--unfurl-opt-out-file", path])
    let link = "http://localhost:\(pages.port)/"
    #expect(try service.connect().post(question(link)).status == .ok)
    try write("localhost\n")
    service.process.send(signal: 1)
    try Deadline.standard.wait(for: "the list") {
      service.process.log.text.contains("reloaded the opt-out list")
    }
    #expect(try service.connect().post(question(link)).status == .badGateway)
    try write("not a domain/\n")
    service.process.send(signal: 1)
    try Deadline.standard.wait(for: "a complaint") {
      service.process.log.text.contains("the previous one stays in force")
    }
    #expect(try service.connect().post(question(link)).status == .badGateway)
  }

  @Test("it warns when other machines can reach it")
  func warns() throws {
    let service = try Parleyd(["--listen", "0.0.0.0:0"], program: "parley-unfurl")
    try Deadline.standard.wait(for: "a warning") {
      service.log.text.contains("listening on an address that other machines can reach")
    }
    service.send(signal: 15)
    #expect(try service.waitForEnd() == .exited(0))
    let quiet = try ServiceChild()
    quiet.process.send(signal: 15)
    _ = try quiet.process.waitForEnd()
    #expect(!quiet.process.log.text.contains("beyond loopback"))
  }

  @Test("settings are checked, listed and refused like the gateway's")
  func settings() throws {
    #expect(try run(["--check-config"]).ending == .exited(0))
    let unusable = try run(["--check-config", "--unfurl-opt-out-file=/nonexistent/x"])
    #expect(unusable.ending == .exited(78))
    #expect(unusable.text.contains("unfurl.opt_out_file"))
    let bad = try run(["--check-config", "--unfurl-max-byte", "5", "--data-dir", "x"])
    #expect(bad.ending == .exited(78))
    #expect(bad.text.contains("did you mean --unfurl-max-bytes?"))
    #expect(bad.text.contains("--data-dir: unknown flag"))
    let environment = try run(
      ["--check-config"], environment: ["PARLEY_UNFURL_TIMEOUT_MS": "0", "PARLEY_REACTORS": "2"])
    #expect(environment.ending == .exited(78))
    #expect(environment.text.contains("unfurl.timeout_ms"))
    #expect(!environment.text.contains("REACTORS"))
    #expect(try run(["--print-defaults"]).text.contains("listen: 127.0.0.1:8090"))
    #expect(try run(["--help"]).text.contains("--unfurl-opt-out-file"))
    #expect(try run(["--version"]).text.hasPrefix("parley "))
  }

  @Test(
    "the start refuses what --check-config refuses, in the same words",
    arguments: [
      ["--unfurl-allow-addresses", "10.1.2.3/8"], ["--listen", "nowhere.example:80"],
      ["--unfurl-allow-ports", ""], ["--unfurl-deny-domains", "a b"],
      ["--unfurl-opt-out-file", "/nonexistent/list"],
    ])
  func sameWords(arguments: [String]) throws {
    let (checked, started) = (try run(arguments + ["--check-config"]), try run(arguments))
    #expect(checked.ending == .exited(78))
    #expect(started.ending == .exited(78))
    #expect(!checked.text.isEmpty)
    #expect(checked.text == started.text)
  }

  @Test("an address that is in use or invalid fails the start and is named")
  func cannotStart() throws {
    let service = try ServiceChild()
    let second = try run(["--listen", "127.0.0.1:\(service.port)"])
    #expect(second.ending == .exited(69))
    #expect(second.text.contains("127.0.0.1:\(service.port)"))
    #expect(try run(["--listen", "nowhere.example:80"]).text.contains("a numeric address"))
  }
}
