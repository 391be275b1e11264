package import Basics
package import Configuration
package import LinkPreview

/// The limits and rules of the embedded unfurler.
package struct UnfurlerConfiguration: Sendable {
  /// The number of bytes of a page that are read, after decompression.
  package var maximumBytes = 524_288
  /// The largest number of redirects followed.
  package var maximumRedirects = 5
  /// Which addresses may be dialled.
  package var addressPolicy = AddressPolicy()
  /// Reads the machine's own addresses, which are refused unless ``addressPolicy`` allows them.
  package var ownAddresses: @Sendable () -> Set<IPAddress> = OwnAddresses.ofInterfaces
  /// Which ports may be dialled.
  package var portPolicy = PortPolicy.standard
  /// Which sites pages are fetched from.
  package var domainRules = DomainRules()
  /// The `User-Agent` of the unfurler.
  package var userAgent = "Parley/1.0 (+link preview)"
  /// The languages that pages are asked for, as in `Accept-Language`.
  package var acceptLanguage = "en,*;q=0.5"
  /// The http or https URL of a proxy that all requests go through; `nil` for none.
  ///
  /// Behind it, which addresses can be reached is the proxy's to decide.
  package var proxy: String?
  /// Whether the oEmbed description is asked for that a page without Open Graph points to.
  package var usesEmbeds = false
  /// The largest number of pages fetched at a time.
  package var maximumTransfers = 64
  /// The largest number of pages of a site fetched at a time.
  package var maximumTransfersPerSite = 6
  /// The largest number of pages fetched for a user at a time.
  package var maximumTransfersPerUser = 16
  /// How many links may wait for their turn, a tenth of them one user's; beyond, a fetch fails at
  /// once.
  package var maximumWaiting = 10_000
  /// Addresses of names that are not looked up, as `name:port:address[,address]`, IPv6 in brackets.
  ///
  /// For tests, and for hosts whose address an operator knows better than the name server; the
  /// address policy holds for them too.
  package var pinnedHosts: [String] = []
  /// A PEM file with the certificate authorities that are trusted; `nil` for the system's.
  package var certificateAuthorities: String?

  package init() {}
}

extension UnfurlerConfiguration {
  /// The bounds that the settings put on fetching pages; reads the opt-out file.
  ///
  /// - Throws: `UnusableSetting` for an opt-out file that cannot be read or understood.
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
