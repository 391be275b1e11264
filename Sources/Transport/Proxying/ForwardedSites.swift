/// By which hosts and schemes clients reach the proxies that a request came through, as far as the
/// trusted ones tell.
package struct ForwardedSites: Sendable, Hashable {
  /// As in `Host`.
  package var hosts: [String] = []
  /// `http` or `https` in lower case, as the nearest proxy that says so was spoken to.
  package var scheme: String?

  package init() {}
}
