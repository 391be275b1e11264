internal import Bytes
internal import LinkPreview

extension SettingsTable {
  private static let domain = "a domain, such as example.com"

  /// A list stands for everything below its domains: `*.` says nothing, and is taken for a slip.
  @Sendable
  private static func readDomain(_ text: String) -> Domain? {
    text.hasPrefix("*") || text.hasSuffix(".") ? nil : try? Domain(text)
  }

  /// How long looking one preview up may take.
  static let previewTimeout = SettingDefinition.integer(
    "unfurl.timeout_ms", \.unfurl.timeoutMilliseconds, in: 1...30_000, unit: "milliseconds",
    help: "Longest time that looking up one preview may take.")

  /// The source of link previews, and their lifetimes.
  static let previews: [SettingDefinition] = [
    .choice(
      "unfurl.mode", \.unfurl.mode,
      help: "Fetch link previews in the server (embedded), ask a service (http), or neither."),
    .optional(
      "unfurl.url", \.unfurl.url, expected: "an http or https URL",
      help: "The service that is asked for previews when the mode is http.",
      read: ServiceURLText.read),
    previewTimeout,
    .integer(
      "unfurl.cache_ttl_seconds", \.unfurl.cacheSeconds, in: 0...315_360_000, unit: "seconds",
      help: "How long a preview is kept, unless its page asks for less; 0 keeps none."),
    .integer(
      "unfurl.cache_min_ttl_seconds", \.unfurl.minimumCacheSeconds, in: 0...315_360_000,
      unit: "seconds", help: "How long a preview is kept even if its page asks for less."),
    .integer(
      "unfurl.stale_ttl_seconds", \.unfurl.staleSeconds, in: 0...315_360_000, unit: "seconds",
      help: "How long an expired preview is still shown while it is fetched again."),
    .integer(
      "unfurl.negative_ttl_seconds", \.unfurl.negativeSeconds, in: 0...315_360_000,
      unit: "seconds", help: "How long it is remembered that a page has no preview."),
    .integer(
      "unfurl.cache_memory_bytes", \.unfurl.cacheMemoryBytes, in: 0...1_099_511_627_776,
      unit: "bytes", help: "How much memory previews may take."),
    .integer(
      "unfurl.cache_disk_bytes", \.unfurl.cacheDiskBytes, in: 0...1_099_511_627_776,
      unit: "bytes", help: "How large the file of previews may grow; 0 keeps them in memory only."),
    .integer(
      "unfurl.max_concurrent_per_user", \.unfurl.maximumTransfersPerUser, in: 1...1024,
      unit: "a number of pages", help: "Pages that are fetched for one user at a time."),
  ]

  /// Pages that are fetched, and the requests for them.
  static let fetching: [SettingDefinition] = [
    .integer(
      "unfurl.max_bytes", \.unfurl.maximumBytes, in: 1024...67_108_864, unit: "bytes",
      help: "How much of a page is read."),
    .integer(
      "unfurl.max_redirects", \.unfurl.maximumRedirects, in: 0...50,
      unit: "a number of redirects", help: "Redirects that are followed for one preview."),
    .list(
      "unfurl.allow_addresses", \.unfurl.allowedNetworks,
      expected: network,
      help: "Networks outside the public internet that may be fetched from all the same.",
      write: \.description, read: { try? Network(parsing: $0) }),
    .list(
      "unfurl.allow_ports", \.unfurl.allowedPorts,
      expected: "a port or a range of ports, such as 8000-8099",
      help: "Ports that may be fetched from.",
      write: PortPolicy.text, read: PortPolicy.range),
    .list(
      "unfurl.allow_domains", \.unfurl.allowedDomains, expected: domain,
      help: "Domains, with those below them, that alone are fetched from.",
      write: \.description, read: readDomain),
    .list(
      "unfurl.deny_domains", \.unfurl.deniedDomains, expected: domain,
      help: "Domains, with those below them, that are never fetched from.",
      write: \.description, read: readDomain),
    .optional(
      "unfurl.opt_out_file", \.unfurl.optOutFile, expected: "the path of a text file",
      help: "File of domains, one a line, that want no previews; read again on SIGHUP.",
      read: { $0 }),
    .integer(
      "unfurl.max_concurrent", \.unfurl.maximumTransfers, in: 1...1024, unit: "a number of pages",
      help: "Pages that are fetched at a time."),
    .integer(
      "unfurl.max_concurrent_per_host", \.unfurl.maximumTransfersPerSite, in: 1...1024,
      unit: "a number of pages",
      help: "Pages of one site (registrable domain) that are fetched at a time."),
    .optional(
      "unfurl.user_agent", \.unfurl.userAgent, absent: .described("Parley and its version"),
      expected: "a text of at most 256 visible ASCII characters and spaces",
      help: "How requests for pages name their sender.", read: HeaderText.read),
    .text(
      "unfurl.accept_language", \.unfurl.acceptLanguage,
      expected: "languages as in the header field Accept-Language",
      help: "The languages that pages are asked for.", read: HeaderText.read),
    .optional(
      "unfurl.proxy", \.unfurl.proxy, .secret, expected: "an http or https URL",
      help: "Proxy for all requests; it then decides which addresses can be reached.",
      read: { ServiceURLText.read($0).map(Secret.init) }),
    .toggle(
      "unfurl.oembed", \.unfurl.usesEmbeds,
      help: "Ask for the oEmbed description that a page without Open Graph points to."),
  ]
}
