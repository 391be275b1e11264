import Crypto

/// The client on a connection that hears channels and is in none: nobody sees it, and it sends nothing.
final class Observer {
  /// Channels that one observer hears, at most.
  static let channelLimit = 20

  let id: String
  /// The API token that its ticket was issued with.
  let token: TokenDigest
  /// The channels that it hears.
  private(set) var channelURLs: [String] = []

  init(id: String, token: TokenDigest) {
    self.id = id
    self.token = token
  }

  func note(_ url: String) {
    if !channelURLs.contains(url) { channelURLs.append(url) }
  }

  func forget(_ url: String) { channelURLs.removeAll { $0 == url } }
}
