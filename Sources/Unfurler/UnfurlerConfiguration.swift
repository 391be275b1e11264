package import LinkPreview

/// What bounds the embedded unfurler.
package struct UnfurlerConfiguration: Sendable {
  /// How much of a page is read, in bytes after decompression.
  package var maximumBytes = 524_288
  /// How many redirects are followed.
  package var maximumRedirects = 5
  /// Which addresses may be dialled.
  package var addressPolicy = AddressPolicy()
  /// Which ports may be dialled.
  package var portPolicy = PortPolicy.standard
  /// How the unfurler names itself to servers.
  package var userAgent = "Parley/1.0 (+link preview)"
  /// How many pages are fetched at a time.
  package var maximumTransfers = 64
  /// How many pages of one host are fetched at a time.
  package var maximumTransfersPerHost = 4
  /// How many links may wait for their turn; beyond, a fetch fails at once.
  package var maximumWaiting = 10_000

  package init() {}
}
