import Testing

@testable import parley

@Suite("The gateway's address and credentials")
struct AccessValuesTests {
  private let profile = Profile(
    server: "http://profile", apiToken: nil, apiTokenFile: "/profile", user: "pat", token: "p")

  @Test("have defaults when nothing is set")
  func standard() {
    let values = AccessValues(AccessValues.Flags(), environment: [:], profile: Profile())
    #expect(values.server == "http://127.0.0.1:8080")
    #expect(values.apiToken == .standardFile)
    #expect(values.user == nil)
  }

  @Test("are taken from flags, then the environment, then the profile")
  func precedence() {
    let environment = [
      "PARLEY_CLI_SERVER": "http://env", "PARLEY_CLI_API_TOKEN": "env", "PARLEY_CLI_USER": "",
    ]
    let both = AccessValues(AccessValues.Flags(), environment: environment, profile: profile)
    #expect(both.server == "http://env")
    #expect(both.apiToken == .text("env"))
    #expect(both.user == "pat")
    #expect(both.accessToken == "p")
    let flags = AccessValues.Flags(
      server: "http://flag", apiTokenFile: "/flag", user: "flo", accessToken: "f")
    let all = AccessValues(flags, environment: environment, profile: profile)
    #expect(all.server == "http://flag")
    #expect(all.apiToken == .file("/flag"))
    #expect(all.user == "flo")
    #expect(all.accessToken == "f")
  }
}
