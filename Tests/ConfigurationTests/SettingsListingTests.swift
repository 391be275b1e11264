import Testing

@testable import Configuration

@Suite("Settings listed for operators")
struct SettingsListingTests {
  private func entry(_ name: String, _ settings: Settings) throws -> SettingsListing.Entry {
    try #require(SettingsListing(settings, of: .gateway).entries.first { $0.name == name })
  }

  @Test("shows only whether secrets, and commands that may contain them, are set")
  func secrets() throws {
    var settings = Settings()
    settings.files.masterKeyCommand = "vault read -token hush keys"
    settings.webhooks.secret = Secret("hush")
    for name in ["files.master_key_command", "webhooks.secret"] {
      let set = try entry(name, settings)
      #expect(set.isSecret && set.values.count == 1 && !"\(set)".contains("hush"), "\(name)")
      #expect(try entry(name, Settings()).values.isEmpty)
    }
  }

  @Test("omits the queries of URLs")
  func queries() throws {
    var settings = Settings()
    settings.webhooks.urls = ["https://a.example/hook?key=hush", "https://b.example/"]
    settings.unfurl.url = "http://10.0.0.1/unfurl?key=hush"
    let urls = try entry("webhooks.urls", settings)
    #expect(urls.values == ["https://a.example/hook", "https://b.example/"] && !urls.isSecret)
    #expect(try entry("unfurl.url", settings).values == ["http://10.0.0.1/unfurl"])
  }
}
