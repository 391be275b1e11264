package import Basics
package import LinkPreview

/// The settings for fetching link previews.
package struct UnfurlSettings: Sendable, Equatable {
  /// The source of previews.
  package enum Mode: String, Sendable, CaseIterable {
    /// Fetched by the server itself.
    case embedded
    /// Requested from a service at ``UnfurlSettings/url``.
    case http
    /// Previews are disabled.
    case off
  }

  /// The server from which viewers load the pictures of previews.
  package enum Images: String, Sendable, CaseIterable {
    /// The server of the page.
    case direct
    /// This server, which keeps copies.
    case proxy
  }

  package var mode = Mode.embedded
  package var images = Images.direct
  /// The size limit of the copies of pictures, in bytes.
  package var imagesDiskBytes = 268_435_456
  /// The base URL of the service to which requests are posted; present when the mode is `http`.
  package var url: String?
  package var timeoutMilliseconds: Int64 = 5000
  /// The number of bytes of a page that are read at most.
  package var maximumBytes = 524_288
  package var maximumRedirects = 5
  /// The largest number of pages fetched at a time.
  package var maximumTransfers = 64
  /// The largest number of pages of one site fetched at a time.
  package var maximumTransfersPerSite = 6
  /// The largest number of pages fetched for one user at a time.
  package var maximumTransfersPerUser = 16
  /// The `User-Agent` of the fetcher; the name of the release when absent.
  package var userAgent: String?
  /// The value of `Accept-Language` in requests for pages.
  package var acceptLanguage = "en,*;q=0.5"
  /// The proxy that all fetches go through.
  package var proxy: Secret?
  /// Whether oEmbed descriptions that pages link to are fetched.
  package var usesEmbeds = false
  /// The only domains that are fetched from; all domains when empty.
  package var allowedDomains: [Domain] = []
  /// Domains that are never fetched from.
  package var deniedDomains: [Domain] = []
  /// The path of a file with domains whose owners do not want previews.
  package var optOutFile: String?
  /// The longest time for which a preview is kept; also the default for pages that specify none.
  package var cacheSeconds: Int64 = 86_400
  /// The shortest time for which a preview is kept, regardless of its page.
  package var minimumCacheSeconds: Int64 = 300
  /// The time for which an expired preview is still shown while it is fetched again.
  package var staleSeconds: Int64 = 604_800
  /// The memory limit of previews, in bytes.
  package var cacheMemoryBytes = 33_554_432
  /// The size limit of the preview cache file, in bytes.
  package var cacheDiskBytes = 268_435_456
  /// The time for which the lack of a preview is remembered.
  package var negativeSeconds: Int64 = 300
  /// Networks outside the public internet that may still be fetched from.
  package var allowedNetworks: [Network] = []
  /// The ports that may be fetched from.
  package var allowedPorts: [ClosedRange<UInt16>] = [80...80, 443...443]
}
