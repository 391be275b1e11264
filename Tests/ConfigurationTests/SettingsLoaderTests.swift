import FloodControl
import Testing

@testable import Configuration

@Suite("Loading settings")
struct SettingsLoaderTests {
  @Test("without any input, the defaults of the contract apply")
  func defaults() throws {
    let settings = try load()
    #expect(settings.listen.map(\.description) == ["127.0.0.1:8080"])
    #expect(settings.tls == TLSListenSettings())
    #expect(settings.operations.listen.isEmpty)
    #expect(settings.limits.openTimeoutMilliseconds == 10_000)
    #expect(settings.limits.pingIntervalMilliseconds == 25_000)
    #expect(settings.limits.pongTimeoutMilliseconds == 10_000)
    #expect(settings.limits.headTimeoutMilliseconds == 10_000)
    #expect(settings.drain.timeoutMilliseconds == 30_000)
    #expect(settings.dataDirectory == "./parley-data")
    #expect(settings.reactors == 4)
    #expect(settings.log == LogSettings())
    #expect(settings.compression.contexts == 0)
  }

  @Test("the default limits are those of the contract")
  func defaultLimits() throws {
    let limits = try load().limits
    #expect(limits.flood.limit == RateLimit(count: 5, windowMilliseconds: 1000))
    #expect(limits.throttle == RateLimit(count: 5, windowMilliseconds: 1000))
    #expect(!limits.flood.exemptsOperators)
    #expect(limits.connections == 0)
    #expect(limits.connectionsPerUser == 30)
    #expect(limits.channelsPerUser == 10)
    #expect(limits.messageBytes == 262_144)
    #expect(limits.outboundBytes == 1_048_576)
    #expect(limits.httpBodyBytes == 1_048_576)
    #expect(limits.calls == CallRate(callsPerSecond: 100, burst: 300))
  }

  @Test("all connections together may use half of the memory by default")
  func memory() throws {
    #expect(try load().limits.memoryBytes == 4_000_000_000)
    #expect(try load(["--limits-memory-bytes", "0"]).limits.memoryBytes == 4_000_000_000)
    #expect(try load(["--limits-memory-bytes", "5000"]).limits.memoryBytes == 5000)
  }

  @Test("the defaults of authorization and previews are those of the contract")
  func otherDefaults() throws {
    let settings = try load()
    #expect(settings.auth == AuthSettings())
    #expect(settings.auth.mode == .open)
    #expect(settings.unfurl.mode == .embedded)
    #expect(settings.unfurl.url == nil)
    #expect(settings.unfurl.timeoutMilliseconds == 5000)
    #expect(settings.unfurl.maximumBytes == 524_288)
    #expect(settings.unfurl.maximumRedirects == 5)
    #expect(settings.unfurl.cacheSeconds == 86_400)
    #expect(settings.unfurl.negativeSeconds == 300)
    #expect(settings.unfurl.allowedNetworks.isEmpty)
    #expect(settings.unfurl.allowedPorts == [80...80, 443...443])
  }

  @Test("flags take precedence over the environment, then the file, then the defaults")
  func precedence() throws {
    let file = "limits: {message_bytes: 1001, outbound_bytes: 300001, channels_per_user: 3001}"
    let variables = [
      "PARLEY_LIMITS_MESSAGE_BYTES": "1002", "PARLEY_LIMITS_OUTBOUND_BYTES": "300002",
    ]
    let limits = try load(
      ["--limits-message-bytes=1003"], environment: variables, file: file
    ).limits
    #expect(limits.messageBytes == 1003)
    #expect(limits.outboundBytes == 300_002)
    #expect(limits.channelsPerUser == 3001)
    #expect(limits.connectionsPerUser == 30)
  }

  @Test("a list of a source with higher precedence replaces the lower one")
  func listsReplace() throws {
    let settings = try load(
      ["--listen", "127.0.0.1:1"], environment: ["PARLEY_LISTEN": "127.0.0.1:2,127.0.0.1:3"])
    #expect(settings.listen.map(\.port) == [1])
  }

  @Test("sessions are open to all only if every listener is loopback")
  func authMode() throws {
    #expect(try load(["--listen", "localhost:0", "--listen=[::1]:0"]).auth.mode == .open)
    #expect(try load(["--listen", "0.0.0.0:80"]).auth.mode == .token)
    #expect(try load(["--listen", "[::]:80"]).auth.mode == .token)
    #expect(try load(["--operations-listen", "10.0.0.1:9090"]).auth.mode == .token)
    #expect(try load(["--listen", "0.0.0.0:80", "--auth-mode=open"]).auth.mode == .open)
    #expect(try load(["--auth-mode", "token"]).auth.mode == .token)
  }

  @Test("every problem of every source is reported at once")
  func allProblems() {
    let found = problems(
      ["--reactors", "many", "--no-such", "x", "--log-level"],
      environment: ["PARLEY_LOG_FORMAT": "xml", "PARLEY_NOTHING_LIKE_IT": "1"],
      file: "drain: {timeout_ms: -5}\nunfurl: {speed: 3}\n")
    #expect(
      found == [
        "unfurl.speed: unknown setting (file parley.yaml, line 2)",
        "drain.timeout_ms: expected milliseconds from 0 to 3600000, got \"-5\""
          + " (file parley.yaml, line 1)",
        "PARLEY_NOTHING_LIKE_IT: unknown variable (environment variable PARLEY_NOTHING_LIKE_IT)",
        "log.format: expected one of text, json, got \"xml\""
          + " (environment variable PARLEY_LOG_FORMAT)",
        "--no-such: unknown flag (command line, after --reactors)",
        "log.level: expected a value (after an = when it begins with --) (flag --log-level)",
        "reactors: expected a number of threads from 1 to 1024, got \"many\" (flag --reactors)",
      ])
  }

  @Test("an invalid value is reported even if a source with higher precedence has a valid one")
  func shadowedProblem() {
    #expect(problems(["--reactors=2"], environment: ["PARLEY_REACTORS": "0"]).count == 1)
  }

  @Test("the whole error is readable")
  func wholeError() throws {
    let error = #expect(throws: SettingsError.self) {
      try load(["--reactors", "0", "--log-level", "loud"])
    }
    #expect(
      error?.description == """
        2 problems with the settings:
          reactors: expected a number of threads from 1 to 1024, got "0" (flag --reactors)
          log.level: expected one of trace, debug, info, notice, warning, error, critical,\
         got "loud" (flag --log-level)
        """)
  }

  @Test("secrets appear in no description and no reported problem")
  func secrets() throws {
    let settings = try load(
      ["--auth-api-token=hunter2"], environment: ["PARLEY_AUTH_JWT_SECRET": "swordfish"])
    #expect(settings.auth.apiToken?.value == "hunter2")
    var text = "\(settings) \(String(reflecting: settings))"
    dump(settings, to: &text)
    #expect(!text.contains("hunter2") && !text.contains("swordfish"))

    let found = problems(["--auth-api-token=hunter2 3", "--auth-api-tokne", "hunter4", "hunter5"])
    #expect(found.count == 3)
    #expect(!found.joined().contains("hunter"))
    #expect(problems(["--auth-jwt-secret", "--hunter6", "--reactors=1"]).count == 1)
    #expect(problems(["--auth-jwt-secret", "--hunter6=="]).joined().contains("hunter") == false)
    #expect(try load(["--auth-jwt-secret=--hunter7"]).auth.jwtSecret == Secret("--hunter7"))
  }

  @Test("the file may be given by flag or environment, and the flag takes precedence")
  func fileName() throws {
    func path(_ arguments: [String], _ environment: [String: String]) throws -> String? {
      var asked: String?
      _ = try SettingsLoader.load(for: .gateway, arguments: arguments, environment: environment) {
        path in
        asked = path
        return []
      }
      return asked
    }
    #expect(try path(["--config", "a.yaml"], ["PARLEY_CONFIG": "b.yaml"]) == "a.yaml")
    #expect(try path(["--config=a.yaml"], [:]) == "a.yaml")
    #expect(try path([], ["PARLEY_CONFIG": "b.yaml"]) == "b.yaml")
    #expect(try path([], [:]) == nil)
  }
}
