internal import Basics
internal import LinkPreview

extension SettingsTable {
  private static let domain = "a domain, such as example.com"

  /// Parses a domain.
  ///
  /// A domain in a list includes all its subdomains, so `*.` is treated as a mistake.
  @Sendable
  private static func readDomain(_ text: String) -> Domain? {
    text.hasPrefix("*") || text.hasSuffix(".") ? nil : try? Domain(text)
  }

  /// The time limit for one preview.
  static let previewTimeout = SettingDefinition.integer(
    "unfurl.timeout_ms", .restart, \.unfurl.timeoutMilliseconds, in: 1...30_000,
    unit: "milliseconds",
    help: "Time limit for one preview.")

  /// Settings for the source and the cache of link previews.
  static let previews: [SettingDefinition] = [
    .choice(
      "unfurl.mode", .restart, \.unfurl.mode,
      help:
        "Source of link previews: this server (embedded), a preview service (http), or none (off)."),
    .optional(
      "unfurl.url", .restart, \.unfurl.url, .openWithoutQuery, expected: "an http or https URL",
      help: "URL of the preview service for unfurl.mode http.",
      read: ServiceURLText.read),
    .choice(
      "unfurl.images", .restart, \.unfurl.images,
      help:
        "Server from which viewers load the pictures of previews: the page's (direct) or this one (proxy)."
    ),
    .integer(
      "unfurl.images_disk_bytes", .restart, \.unfurl.imagesDiskBytes, in: 0...1_099_511_627_776,
      unit: "bytes", help: "Disk space for pictures with unfurl.images proxy. 0 means no pictures."),
    previewTimeout,
    .integer(
      "unfurl.cache_ttl_seconds", .restart, \.unfurl.cacheSeconds, in: 0...315_360_000,
      unit: "seconds",
      help: "Longest lifetime of a cached preview. 0 disables caching."),
    .integer(
      "unfurl.cache_min_ttl_seconds", .restart, \.unfurl.minimumCacheSeconds, in: 0...315_360_000,
      unit: "seconds",
      help:
        "Shortest lifetime of a cached preview. It overrides a shorter lifetime set by the page."),
    .integer(
      "unfurl.stale_ttl_seconds", .restart, \.unfurl.staleSeconds, in: 0...315_360_000,
      unit: "seconds",
      help:
        "Time after expiry in which a preview is shown while it is fetched again. 0 means never."),
    .integer(
      "unfurl.negative_ttl_seconds", .restart, \.unfurl.negativeSeconds, in: 0...315_360_000,
      unit: "seconds",
      help: "Lifetime of a cached failure to find a preview. 0 disables caching of failures."),
    .integer(
      "unfurl.cache_memory_bytes", .restart, \.unfurl.cacheMemoryBytes, in: 0...1_099_511_627_776,
      unit: "bytes", help: "Memory for cached previews. 0 means none."),
    .integer(
      "unfurl.cache_disk_bytes", .restart, \.unfurl.cacheDiskBytes, in: 0...1_099_511_627_776,
      unit: "bytes", help: "Disk space for cached previews. 0 keeps them only in memory."),
    .integer(
      "unfurl.max_concurrent_per_user", .restart, \.unfurl.maximumTransfersPerUser, in: 1...1024,
      unit: "a number of pages", help: "Pages fetched at the same time for one user."),
  ]

  /// Settings for fetching pages.
  static let fetching: [SettingDefinition] = [
    .integer(
      "unfurl.max_bytes", .restart, \.unfurl.maximumBytes, in: 1024...67_108_864, unit: "bytes",
      help: "Bytes to read of a page."),
    .integer(
      "unfurl.max_redirects", .restart, \.unfurl.maximumRedirects, in: 0...50,
      unit: "a number of redirects", help: "Redirects to follow for one preview. 0 means none."),
    .list(
      "unfurl.allow_addresses", .restart, \.unfurl.allowedNetworks,
      expected: network,
      help: "Networks outside the public internet from which pages may be fetched.",
      write: \.description, read: { try? Network(parsing: $0) }),
    .list(
      "unfurl.allow_ports", .restart, \.unfurl.allowedPorts,
      expected: "a port or a range of ports, such as 8000-8099",
      help: "Ports from which pages may be fetched.",
      write: PortPolicy.text, read: PortPolicy.range),
    .list(
      "unfurl.allow_domains", .reload, \.unfurl.allowedDomains, expected: domain,
      help:
        "Domains, including subdomains, from which pages may be fetched. None means all domains.",
      write: \.description, read: readDomain),
    .list(
      "unfurl.deny_domains", .reload, \.unfurl.deniedDomains, expected: domain,
      help: "Domains, including subdomains, from which pages are never fetched.",
      write: \.description, read: readDomain),
    .optional(
      "unfurl.opt_out_file", .restart, \.unfurl.optOutFile, expected: "the path of a text file",
      help: "File of domains without previews, one per line. SIGHUP reads the file again.",
      read: { $0 }),
    .integer(
      "unfurl.max_concurrent", .restart, \.unfurl.maximumTransfers, in: 1...1024,
      unit: "a number of pages",
      help: "Pages fetched at the same time."),
    .integer(
      "unfurl.max_concurrent_per_host", .restart, \.unfurl.maximumTransfersPerSite, in: 1...1024,
      unit: "a number of pages",
      help: "Pages fetched at the same time from one site (registrable domain)."),
    .optional(
      "unfurl.user_agent", .restart, \.unfurl.userAgent,
      absent: .described("Parley/ and the version"),
      expected: "a text of at most 256 visible ASCII characters and spaces",
      help: "Value of the header field User-Agent.", read: HeaderText.read),
    .text(
      "unfurl.accept_language", .restart, \.unfurl.acceptLanguage,
      expected: "languages in the syntax of the header field Accept-Language",
      help: "Value of the header field Accept-Language.", read: HeaderText.read),
    .optional(
      "unfurl.proxy", .restart, \.unfurl.proxy, .secret, expected: "an http or https URL",
      help: "Proxy for all requests. The proxy then decides which addresses are reachable.",
      read: { ServiceURLText.read($0).map(Secret.init) }),
    .toggle(
      "unfurl.oembed", .restart, \.unfurl.usesEmbeds,
      help: "Fetch the oEmbed description that a page without Open Graph links to."),
  ]
}
