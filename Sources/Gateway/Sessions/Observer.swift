import Crypto

/// A client that receives the events of channels without entering them: invisible, and sends nothing.
final class Observer {
  /// The largest number of channels of one observer.
  static let channelLimit = 20

  let id: String
  /// The API token that issued its ticket.
  let token: TokenDigest
  /// The channels whose events it receives.
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
