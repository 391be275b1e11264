import FloodControl
import Testing

@testable import Configuration

@Suite("Configuration file")
struct FileReaderTests {
  private let nested = """
    listen:
      - 127.0.0.1:9000
      - "[::1]:9000"
    limits:
      flood: {messages: 7, exempt_operators: true}
      throttle.messages: 8
    limits.channels_per_user: 9
    unfurl: {allow_ports: "80,8080-8090"}
    auth:
      jwt_secret:
      api_token: null
    """

  @Test("keys may be nested, dotted, or both")
  func keys() throws {
    let settings = try load(file: nested)
    #expect(settings.listen.map(\.description) == ["127.0.0.1:9000", "[::1]:9000"])
    #expect(settings.limits.flood.limit.count == 7)
    #expect(settings.limits.flood.exemptsOperators)
    #expect(settings.limits.throttle.count == 8)
    #expect(settings.limits.channelsPerUser == 9)
    #expect(settings.unfurl.allowedPorts == [80...80, 8080...8090])
    #expect(settings.auth.jwtSecret == nil)
    #expect(settings.auth.apiToken == nil)
  }

  @Test("JSON is accepted too")
  func json() throws {
    let settings = try load(
      file: #"{"listen": ["127.0.0.1:1"], "limits": {"flood": {"window_ms": 50}}, "log": null}"#
        .replacing(#", "log": null"#, with: ""))
    #expect(settings.listen.map(\.port) == [1])
    #expect(settings.limits.flood.limit.windowMilliseconds == 50)
  }

  @Test("an empty file sets nothing", arguments: ["", "# nothing\n", "---\n", "null", "{}"])
  func empty(text: String) throws {
    #expect(try load(file: text) == load())
  }

  @Test("an unknown key is refused with its full path, its line and the nearest name")
  func unknownKey() {
    #expect(
      problems(file: "limits:\n  flood:\n    mesages: 5\n") == [
        "limits.flood.mesages: unknown setting; did you mean limits.flood.messages?"
          + " (file parley.yaml, line 3)"
      ])
  }

  @Test("a group is not a value, and a value is not a group")
  func shapes() {
    #expect(problems(file: "limits: 5")[0].contains("expected settings of this group"))
    #expect(problems(file: "listen: {port: 5}")[0].contains("not a group"))
    #expect(problems(file: "reactors: [1, 2]")[0].contains("not a list"))
    #expect(problems(file: "listen: [[a]]")[0].contains("not a list"))
    #expect(problems(file: "- listen")[0].contains("expected names of settings"))
    #expect(problems(file: "[1]: 2")[0].contains("expected texts as names"))
  }

  @Test("a setting given twice is refused, even if once nested and once dotted")
  func twice() {
    #expect(
      problems(file: "limits: {message_bytes: 500}\nlimits.message_bytes: 600") == [
        "limits.message_bytes: expected once, but it is given twice (file parley.yaml, line 2)"
      ])
    #expect(problems(file: "reactors: 1\nreactors: 2")[0].contains("is there twice"))
  }

  @Test("invalid YAML is refused with its line")
  func syntax() {
    let found = problems(file: "listen: 127.0.0.1:80\nlog: [text\n")
    #expect(found.count == 1)
    #expect(found[0].contains("expected YAML or JSON, but"))
    #expect(found[0].contains("line"))
    #expect(problems(file: "a: 1\n---\nb: 2").count == 1)
  }

  @Test("a secret in the file is never shown, whatever the error")
  func secret() {
    #expect(!problems(file: "auth.api_token: \"hunter 2\"").joined().contains("hunter"))
    #expect(!problems(file: "auth.api_token: [hunter2]").joined().contains("hunter"))
    #expect(!problems(file: "auth: {api_token: \"hunter2").joined().contains("hunter"))
  }

  @Test("control characters in a value are refused and shown escaped")
  func controlCharacters() {
    let found = problems(file: "data_dir: \"a\\0b\\e[31m\"")
    #expect(found.count == 1)
    #expect(found[0].contains(#"got "a\u{0}b\u{1b}[31m""#))
  }

  @Test("aliases are refused with their line, however few they are")
  func aliases() {
    #expect(
      problems(file: "limits:\n  flood: &five {messages: 3}\n  throttle: *five") == [
        "configuration file: expected no aliases (*); write the value again in its place"
          + " (file parley.yaml, line 3)"
      ])
    #expect(problems(file: "? [*a]\n: &a b").count == 1)
  }

  @Test("a file that is too large, too deeply nested or not text is refused")
  func bounds() {
    #expect(problems(file: String(repeating: "#", count: 262_145))[0].contains("at most 262144"))
    #expect(problems(file: String(repeating: "[", count: 100_000)).count == 1)
    #expect(
      problems(file: String(repeating: "{a: ", count: 50) + String(repeating: "}", count: 50))
        .count == 1)
    let unknown = (0..<20_000).map { "k\($0): 1\n" }.joined()
    #expect(problems(file: unknown).count == 51)
    #expect(problems(file: unknown).last?.contains("has not been looked at") == true)
    let long = (0..<20_000).map { "\($0 % 99 + 1)" }.joined(separator: ",")
    #expect(problems(file: "unfurl.allow_ports: [\(long)]")[0].contains("at most 10000 entries"))
    let error = #expect(throws: SettingsError.self) {
      try SettingsLoader.load(for: .gateway, arguments: ["--config=x"], environment: [:]) { _ in
        [0xff, 0xfe]
      }
    }
    #expect(error?.problems.first?.explanation == "expected UTF-8")
  }

  @Test("an unreadable file is reported with its path and the reason")
  func missing() {
    let error = #expect(throws: SettingsError.self) {
      try SettingsLoader.load(
        for: .gateway, arguments: ["--config", "/nonexistent/x.yaml"], environment: [:])
    }
    #expect(
      error?.problems.map(\.description) == [
        "configuration file: the file cannot be read: No such file or directory"
          + " (file /nonexistent/x.yaml)"
      ])
  }
}
