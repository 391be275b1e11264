import Basics
import Configuration
import Foundation
import LinkPreview
import TestPeers
import Testing
import Unfurler

@Suite("The configuration of fetches from the settings")
struct UnfurlerConfigurationTests {
  private func settings(_ arguments: [String]) throws -> UnfurlSettings {
    try SettingsLoader.load(for: .unfurlService, arguments: arguments, environment: [:]).unfurl
  }

  @Test("limits are copied")
  func bounds() throws {
    let configuration = try UnfurlerConfiguration(
      settings([
        "--unfurl-max-bytes=2048", "--unfurl-max-redirects=2", "--unfurl-max-concurrent=3",
        "--unfurl-max-concurrent-per-host=1",
      ]))
    #expect(configuration.maximumBytes == 2_048)
    #expect(configuration.maximumRedirects == 2)
    #expect(configuration.maximumTransfers == 3)
    #expect(configuration.maximumTransfersPerSite == 1)
  }

  @Test("the addresses and ports named in the settings are allowed")
  func policies() throws {
    let standard = try UnfurlerConfiguration(settings([]))
    let inside = try #require(IPAddress("10.1.2.3"))
    #expect(!standard.addressPolicy.permits(inside))
    #expect(standard.portPolicy == .standard)
    let open = try UnfurlerConfiguration(
      settings(["--unfurl-allow-addresses=10.0.0.0/8", "--unfurl-allow-ports=80,8000-8099"]))
    #expect(open.addressPolicy.permits(inside))
    #expect(open.portPolicy.permits(8_050))
    #expect(!open.portPolicy.permits(443))
  }

  @Test("the user agent contains the release unless a setting replaces it")
  func names() throws {
    #expect(
      try UnfurlerConfiguration(settings([])).userAgent.hasPrefix("Parley/\(Release.number)"))
    #expect(
      try UnfurlerConfiguration(settings(["--unfurl-user-agent=Us/2 (us)"])).userAgent
        == "Us/2 (us)")
  }

  @Test("an empty port list is refused where the settings are read, with the setting's name")
  func unusable() throws {
    let error = #expect(throws: (any Error).self) { try settings(["--unfurl-allow-ports="]) }
    #expect(error.map { "\($0)" }?.contains("unfurl.allow_ports") == true)
  }

  @Test("a network with bits beyond its prefix is refused where the settings are read")
  func hostBits() throws {
    let error = #expect(throws: (any Error).self) {
      try settings(["--unfurl-allow-addresses=10.0.0.1/8"])
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("unfurl.allow_addresses") && text.contains("10.0.0.1/8"))
  }

  @Test("languages, proxy and oEmbed are copied")
  func requests() throws {
    let standard = try UnfurlerConfiguration(settings([]))
    #expect(standard.proxy == nil)
    #expect(!standard.usesEmbeds)
    #expect(standard.acceptLanguage == "en,*;q=0.5")
    let changed = try UnfurlerConfiguration(
      settings([
        "--unfurl-proxy=http://proxy.example:3128", "--unfurl-oembed",
        "--unfurl-accept-language=de",
      ]))
    #expect(changed.proxy == "http://proxy.example:3128")
    #expect(changed.usesEmbeds)
    #expect(changed.acceptLanguage == "de")
  }

  @Test("domains in the settings or the opt-out file are denied, with their subdomains")
  func domains() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "opt-out")
    try Data("# no previews\nquiet.example\n".utf8).write(to: URL(fileURLWithPath: path))
    let rules = try UnfurlerConfiguration(
      settings(["--unfurl-deny-domains=bad.example", "--unfurl-opt-out-file", path])
    ).domainRules
    func isRefused(_ url: String) throws -> Bool {
      rules.refusal(of: try #require(WebURL(url)).host) != nil
    }
    #expect(try isRefused("http://www.bad.example/"))
    #expect(try isRefused("http://quiet.example/"))
    #expect(try !isRefused("http://good.example/"))
  }

  @Test("an unusable opt-out file is refused with its setting's name")
  func optOutFile() throws {
    let missing = try settings(["--unfurl-opt-out-file=/nonexistent/x"])
    let error = #expect(throws: UnusableSetting.self) { try UnfurlerConfiguration(missing) }
    #expect(error?.setting == "unfurl.opt_out_file")
    #expect(error?.reason.contains("/nonexistent/x") == true)
  }
}
