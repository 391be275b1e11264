package import Configuration
import LinkPreview
package import Unfurler

extension UnfurlerConfiguration {
  /// What the settings say of fetching pages.
  ///
  /// - Throws: ``UnusableFetchSetting`` for a value that reads well but cannot be put to use.
  package init(_ settings: UnfurlSettings) throws(UnusableFetchSetting) {
    self.init()
    maximumBytes = settings.maximumBytes
    maximumRedirects = settings.maximumRedirects
    maximumTransfers = settings.maximumTransfers
    maximumTransfersPerHost = settings.maximumTransfersPerHost
    userAgent = settings.userAgent ?? "Parley/\(Release.version) (+link preview)"
    acceptLanguage = settings.acceptLanguage
    proxy = settings.proxy?.value
    usesEmbeds = settings.usesEmbeds
    domainRules = try Self.domains(settings)
    addressPolicy = AddressPolicy(allowing: try Self.networks(settings.allowedNetworks))
    portPolicy = try Self.ports(settings.allowedPorts)
  }

  private static func domains(
    _ settings: UnfurlSettings
  ) throws(UnusableFetchSetting) -> DomainRules {
    do throws(DomainRulesError) {
      return try DomainRules(
        allowed: settings.allowedDomains.map(\.name), denied: settings.deniedDomains.map(\.name),
        optOutFile: settings.optOutFile)
    } catch {
      let setting =
        switch error {
        case .domain: "unfurl.allow_domains or unfurl.deny_domains"
        case .file, .list: "unfurl.opt_out_file"
        }
      throw UnusableFetchSetting(setting: setting, reason: "\(error)")
    }
  }

  private static func networks(
    _ settings: [NetworkText]
  ) throws(UnusableFetchSetting) -> [Network] {
    var networks: [Network] = []
    for setting in settings {
      do throws(PolicyTextError) {
        networks.append(try Network(parsing: setting.description))
      } catch {
        throw UnusableFetchSetting(setting: "unfurl.allow_addresses", reason: "\(error)")
      }
    }
    return networks
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
