package import LinkPreview

/// How an outcome came about, for whoever asks why.
package struct UnfurlTrace: Sendable, Hashable {
  /// The requests sent, in order; at most ``maximumRequests``.
  package var requests: [RequestTrace] = []
  /// Which part of the page each member of the preview came from.
  package var origins: [PreviewOrigin] = []
  /// The page's character set, and what named it.
  package var characterSet: String?
  /// Why a page that was read offers no preview.
  package var emptiness: String?

  /// More requests than redirects and one look for embedded content can make.
  package static let maximumRequests = 64

  package init() {}
}
