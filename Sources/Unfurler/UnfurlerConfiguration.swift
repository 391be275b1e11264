package import Basics
package import Configuration
import Curl
package import LinkPreview

/// The limits and rules of the embedded unfurler.
package struct UnfurlerConfiguration: Sendable {
  /// The maximum number of bytes read of a page, after decompression.
  package var maximumBytes = 524_288
  /// The maximum number of redirects to follow.
  package var maximumRedirects = 5
  /// The addresses that may be dialled.
  package var addressPolicy = AddressPolicy()
  /// Reads the machine's own addresses, which are refused unless ``addressPolicy`` allows them.
  package var ownAddresses: @Sendable () -> Set<IPAddress> = OwnAddresses.ofInterfaces
  /// The ports that may be dialled.
  package var portPolicy = PortPolicy.standard
  /// The sites that pages may be fetched from.
  package var domainRules = DomainRules()
  /// The `User-Agent` of the unfurler.
  package var userAgent = "Parley/1.0 (+link preview)"
  /// The preferred languages of pages, as in `Accept-Language`.
  package var acceptLanguage = "en,*;q=0.5"
  /// The http or https URL of a proxy for all requests; `nil` for none.
  ///
  /// With a proxy, the proxy decides which addresses can be reached.
  package var proxy: String?
  /// Whether to fetch the oEmbed description that a page without Open Graph links to.
  package var usesEmbeds = false
  /// The maximum number of pages fetched at a time.
  package var maximumTransfers = 64
  /// The maximum number of pages of a site fetched at a time.
  package var maximumTransfersPerSite = 6
  /// The maximum number of pages fetched for a user at a time.
  package var maximumTransfersPerUser = 16
  /// The maximum number of waiting links, a tenth of them for one user; beyond it, a fetch fails
  /// immediately.
  package var maximumWaiting = 10_000
  /// Fixed addresses of names, as `name:port:address[,address]`, with IPv6 addresses in brackets.
  ///
  /// For tests, and for hosts whose addresses the operator knows better than the name server; the
  /// address policy also applies to them.
  package var pinnedHosts: [String] = []
  /// A PEM file with the trusted certificate authorities; `nil` for the system's.
  package var certificateAuthorities: String?

  package init() {}
}

extension UnfurlerConfiguration {
  /// Creates a configuration from the settings; reads the opt-out file.
  ///
  /// - Throws: `UnusableSetting` for an opt-out file that cannot be read or parsed.
  package init(_ settings: UnfurlSettings) throws(UnusableSetting) {
    self.init()
    maximumBytes = settings.maximumBytes
    maximumRedirects = settings.maximumRedirects
    maximumTransfers = settings.maximumTransfers
    maximumTransfersPerSite = settings.maximumTransfersPerSite
    maximumTransfersPerUser = settings.maximumTransfersPerUser
    usesEmbeds = settings.usesEmbeds
    proxy = settings.proxy?.value
    acceptLanguage = settings.acceptLanguage
    userAgent = settings.userAgent ?? "Parley/\(Release.number) (+link preview)"
    addressPolicy = AddressPolicy(allowing: settings.allowedNetworks)
    portPolicy = PortPolicy(settings.allowedPorts)
    domainRules = try UnusableSetting.named("unfurl.opt_out_file") {
      try DomainRules(
        allowed: settings.allowedDomains, denied: settings.deniedDomains,
        optOutFile: settings.optOutFile)
    }
  }
}
