package import Configuration
import LinkPreview

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
    userAgent = settings.userAgent ?? "Parley/\(Release.version) (+link preview)"
    addressPolicy = AddressPolicy(allowing: settings.allowedNetworks)
    portPolicy = PortPolicy(settings.allowedPorts)
    domainRules = try UnusableSetting.named("unfurl.opt_out_file") {
      try DomainRules(
        allowed: settings.allowedDomains, denied: settings.deniedDomains,
        optOutFile: settings.optOutFile)
    }
  }
}
