/// Looking up link previews.
package struct UnfurlSettings: Sendable, Equatable {
  /// Where previews come from.
  package enum Mode: String, Sendable, CaseIterable {
    /// Fetched by the server itself.
    case embedded
    /// Asked for at a service, ``UnfurlSettings/url``.
    case http
    /// None are looked up.
    case off
  }

  package var mode = Mode.embedded
  /// The service's base, to which requests are posted; present when the mode is `http`.
  package var url: String?
  package var timeoutMilliseconds: Int64 = 5000
  /// How much of a page is read.
  package var maximumBytes = 524_288
  package var maximumRedirects = 5
  /// How long a preview is kept.
  package var cacheSeconds: Int64 = 86_400
  /// How long it is remembered that a page has none.
  package var negativeSeconds: Int64 = 300
  /// Networks outside the public internet that may be fetched from all the same.
  package var allowedNetworks: [NetworkText] = []
  /// The ports that may be fetched from.
  package var allowedPorts: [ClosedRange<UInt16>] = [80...80, 443...443]
}
