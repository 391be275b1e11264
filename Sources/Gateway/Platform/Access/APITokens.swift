import Crypto
import Configuration

/// The tokens with which the Platform API may be called.
struct APITokens: Sendable {
  static let maximumLength = 4_096

  /// The id of the first token, which no call can revoke.
  static let firstID = "first"

  private let first: TokenDigest
  let issued: IssuedAPITokens

  /// Takes the first token from the settings, else from the file in the data directory, which is
  /// made when the gateway first starts.
  ///
  /// - Throws: The obstacle, in words for the operator.
  init(_ settings: Settings, issued: IssuedAPITokens) throws {
    self.issued = issued
    if let token = settings.auth.apiToken {
      first = TokenDigest(of: token.value)
      return
    }
    first = TokenDigest(of: try APITokenFile.readOrMake(inDirectory: settings.dataDirectory))
  }

  /// The token of a request if it may pass; takes equally long for all wrong ones.
  func admit(_ token: String?) -> TokenDigest? {
    guard let token, token.utf8.count <= Self.maximumLength else { return nil }
    let digest = TokenDigest(of: token)
    let isIssued = issued.contains(digest)
    return digest == first || isIssued ? digest : nil
  }
}
