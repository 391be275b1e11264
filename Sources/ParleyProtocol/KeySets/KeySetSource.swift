/// A provider in the settings, and the URL at which it publishes its keys.
package struct KeySetSource: Sendable, Hashable {
  /// The maximum number of providers.
  package static let limit = 32

  package var issuer: TokenIssuer
  package var url: String

  package init(_ issuer: TokenIssuer, url: String) {
    self.issuer = issuer
    self.url = url
  }
}
