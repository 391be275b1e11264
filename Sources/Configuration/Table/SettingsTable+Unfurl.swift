extension SettingsTable {
  /// Link previews.
  static let unfurl: [SettingDefinition] = [
    .choice(
      "unfurl.mode", \.unfurl.mode,
      help: "Fetch link previews in the server (embedded), ask a service (http), or neither."),
    .optional(
      "unfurl.url", \.unfurl.url, expected: "an http or https URL",
      help: "The service that is asked for previews when the mode is http.",
      read: ServiceURLText.read),
    .integer(
      "unfurl.timeout_ms", \.unfurl.timeoutMilliseconds, in: 1...600_000, unit: "milliseconds",
      help: "Longest time that looking up one preview may take."),
    .integer(
      "unfurl.max_bytes", \.unfurl.maximumBytes, in: 1024...67_108_864, unit: "bytes",
      help: "How much of a page is read."),
    .integer(
      "unfurl.max_redirects", \.unfurl.maximumRedirects, in: 0...50,
      unit: "a number of redirects", help: "Redirects that are followed for one preview."),
    .integer(
      "unfurl.cache_ttl_seconds", \.unfurl.cacheSeconds, in: 0...315_360_000, unit: "seconds",
      help: "How long a preview is kept."),
    .integer(
      "unfurl.negative_ttl_seconds", \.unfurl.negativeSeconds, in: 0...315_360_000,
      unit: "seconds", help: "How long it is remembered that a page has no preview."),
    .list(
      "unfurl.allow_addresses", \.unfurl.allowedNetworks,
      expected: "a network, such as 10.0.0.0/8",
      help: "Networks outside the public internet that may be fetched from all the same.",
      write: \.description, read: { NetworkText($0) }),
    .list(
      "unfurl.allow_ports", \.unfurl.allowedPorts,
      expected: "a port or a range of ports, such as 8000-8099",
      help: "Ports that may be fetched from.",
      write: PortRangeText.write, read: PortRangeText.read),
  ]
}
