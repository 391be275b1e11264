/// The hosts and the scheme by which clients reach the trusted proxies that a request came through.
package struct ForwardedSites: Sendable, Hashable {
  /// As in `Host`.
  package var hosts: [String] = []
  /// `http` or `https` in lower case, as the nearest proxy that says so was spoken to.
  package var scheme: String?

  package init() {}
}
