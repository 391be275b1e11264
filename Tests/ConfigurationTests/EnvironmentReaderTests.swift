import Testing

@testable import Configuration

@Suite("Environment variables")
struct EnvironmentReaderTests {
  @Test("only variables of the server are read")
  func others() throws {
    #expect(try load(environment: ["PATH": "/bin", "PARLEYD": "x", "LISTEN": "y"]) == load())
  }

  @Test("lists are separated by commas")
  func lists() throws {
    let settings = try load(environment: ["PARLEY_LISTEN": "127.0.0.1:1,[::1]:2"])
    #expect(settings.listen.map(\.description) == ["127.0.0.1:1", "[::1]:2"])
  }

  @Test("an empty variable counts as unset")
  func empty() throws {
    #expect(try load(environment: ["PARLEY_LISTEN": "", "PARLEY_REACTORS": ""]) == load())
  }

  @Test("an unknown variable is reported with the most similar known one")
  func unknown() {
    #expect(
      problems(environment: ["PARLEY_LISTENS": "x"]) == [
        "PARLEY_LISTENS: unknown variable; did you mean PARLEY_LISTEN?"
          + " (environment variable PARLEY_LISTENS)"
      ])
  }

  @Test(
    "variables that Kubernetes sets for a service of the same name are ignored",
    arguments: [
      "PARLEY_SERVICE_HOST", "PARLEY_SERVICE_PORT", "PARLEY_SERVICE_PORT_HTTP", "PARLEY_PORT",
      "PARLEY_PORT_8080_TCP", "PARLEY_PORT_8080_TCP_PROTO", "PARLEY_PORT_8080_TCP_PORT",
      "PARLEY_PORT_8080_TCP_ADDR", "PARLEY_CHAT_SERVICE_HOST", "PARLEY_CHAT_PORT_80_TCP",
    ])
  func serviceLinks(variable: String) throws {
    #expect(try load(environment: [variable: "tcp://10.0.0.1:8080"]) == load())
  }

  @Test("no setting has a name that is ignored this way")
  func noCollision() throws {
    for definition in SettingsTable.gateway.all {
      let reading = EnvironmentReader.read([definition.variable: "x"], of: .gateway)
      #expect(reading.given.count == 1, "\(definition.variable)")
    }
  }
}
