import Testing

@testable import Configuration

@Suite("Programs with their own settings")
struct ProgramTests {
  @Test("the preview service has the same setting names as the gateway, and no others")
  func names() {
    let names = Set(SettingsTable.unfurlService.all.map(\.name))
    #expect(
      names == [
        "listen", "limits.head_timeout_ms", "limits.keep_alive_timeout_ms",
        "unfurl.timeout_ms", "unfurl.max_bytes",
        "unfurl.max_redirects", "unfurl.allow_addresses", "unfurl.allow_ports",
        "unfurl.allow_domains", "unfurl.deny_domains", "unfurl.opt_out_file",
        "unfurl.max_concurrent", "unfurl.max_concurrent_per_host", "unfurl.user_agent",
        "unfurl.accept_language", "unfurl.proxy", "unfurl.oembed", "drain.timeout_ms", "log.level",
        "log.format",
      ])
    #expect(names.isSubset(of: SettingsTable.gateway.all.map(\.name)))
  }

  @Test("the preview service listens on its own default port")
  func listening() throws {
    #expect(try load(for: .unfurlService).listen.map(\.description) == ["127.0.0.1:8090"])
    #expect(
      try load(["--listen", "[::1]:0"], for: .unfurlService).listen.map(\.description) == [
        "[::1]:0"
      ])
    #expect(try load().listen.map(\.description) == ["127.0.0.1:8080"])
    #expect(!problems(["--listen="], for: .unfurlService).isEmpty)
  }

  @Test("a flag of the gateway alone is unknown to the preview service")
  func flags() {
    #expect(problems(["--data-dir=x"], for: .unfurlService).count == 1)
  }

  @Test("one environment may hold the variables of all programs, but no unknown ones")
  func environment() throws {
    let shared = ["PARLEY_AUTH_MODE": "token", "PARLEY_UNFURL_MAX_BYTES": "2048"]
    #expect(try load(environment: shared, for: .unfurlService).unfurl.maximumBytes == 2_048)
    #expect(problems(environment: ["PARLEY_AUTH_MOD": "x"], for: .unfurlService).count == 1)
  }

  @Test("one file may hold the settings of all programs, but no unknown ones")
  func file() throws {
    let shared = "auth: {mode: token}\nunfurl: {url: http://a.example, max_bytes: 2048}"
    #expect(try load(file: shared, for: .unfurlService).unfurl.maximumBytes == 2_048)
    #expect(problems(file: "auth: {mod: token}", for: .unfurlService).count == 1)
  }

  @Test(
    "the help and the printed defaults cover only the program's own settings",
    arguments: Program.allCases)
  func reference(program: Program) throws {
    let defaults = SettingsReference.defaultsFile(of: program)
    #expect(try load(file: defaults, for: program) == load(for: program))
    let help = SettingsReference.helpText(of: program)
    for definition in program.table.all {
      // A long name has a line of its own.
      let (flag, name) = ("\n  \(definition.flag)", "(\(definition.name))\n")
      #expect(help.contains("\(flag)  \(name)") || help.contains("\(flag)\n    \(name)"))
      #expect(defaults.contains("\(definition.name):"))
    }
    #expect(help.contains("--data-dir") == (program == .gateway))
  }
}
