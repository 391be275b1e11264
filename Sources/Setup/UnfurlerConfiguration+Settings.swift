package import Configuration
import LinkPreview
package import Unfurler

extension UnfurlerConfiguration {
  /// What the settings say of fetching pages; reads the opt-out file.
  ///
  /// - Throws: ``UnusableFetchSetting`` for a value that reads well but cannot be put to use.
  package init(_ settings: UnfurlSettings) throws(UnusableFetchSetting) {
    self.init()
    maximumBytes = settings.maximumBytes
    maximumRedirects = settings.maximumRedirects
    maximumTransfers = settings.maximumTransfers
    maximumTransfersPerSite = settings.maximumTransfersPerSite
    maximumTransfersPerUser = settings.maximumTransfersPerUser
    usesEmbeds = settings.usesEmbeds
    proxy = settings.proxy?.value
    acceptLanguage = settings.acceptLanguage
    userAgent = settings.userAgent ?? "Parley/\(Release.version) (+link preview)"
    addressPolicy = AddressPolicy(allowing: settings.allowedNetworks)
    portPolicy = try Self.ports(settings.allowedPorts)
    domainRules = try Self.domainRules(settings)
  }

  private static func domainRules(
    _ settings: UnfurlSettings
  ) throws(UnusableFetchSetting) -> DomainRules {
    do throws(DomainRulesError) {
      return try DomainRules(
        allowed: settings.allowedDomains.map(\.name), denied: settings.deniedDomains.map(\.name),
        optOutFile: settings.optOutFile)
    } catch {
      let setting =
        switch error {
        case .domain: "unfurl.allow_domains, unfurl.deny_domains"
        case .file, .list: "unfurl.opt_out_file"
        }
      throw UnusableFetchSetting(setting: setting, reason: "\(error)")
    }
  }

  private static func ports(
    _ settings: [ClosedRange<UInt16>]
  ) throws(UnusableFetchSetting) -> PortPolicy {
    let texts = settings.map { "\($0.lowerBound)-\($0.upperBound)" }
    do throws(PolicyTextError) {
      return try PortPolicy(parsing: texts.joined(separator: ","))
    } catch {
      throw UnusableFetchSetting(setting: "unfurl.allow_ports", reason: "\(error)")
    }
  }
}
