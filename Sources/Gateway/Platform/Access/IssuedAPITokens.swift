import Configuration
import Crypto
import Store
import Synchronization

/// The tokens that may call the Platform API.
struct APITokens: Sendable {
  static let maximumLength = 4_096

  /// The id of the first token, which cannot be revoked through the API.
  static let firstID = "first"

  /// The digest of the first token.
  let first: TokenDigest
  let issued: IssuedAPITokens

  /// Reads the first token from the settings, or else from the file in the data directory, which is
  /// created when the gateway first starts.
  ///
  /// - Throws: A description of the problem for the operator.
  init(_ settings: Settings, issued: IssuedAPITokens) throws {
    self.issued = issued
    if let token = settings.auth.apiToken {
      first = TokenDigest(of: token.value)
      return
    }
    first = TokenDigest(of: try APITokenFile.readOrMake(inDirectory: settings.dataDirectory))
  }

  /// The key for secrets that the store keeps sealed.
  ///
  /// All servers of a deployment have the same first token and therefore the same key.
  var sealingKey: [UInt8] {
    HMACSHA256.code(of: Array("parley sealed secrets".utf8), under: first.bytes) ?? []
  }

  /// The readable name of an admitted token.
  func name(of digest: TokenDigest) -> APITokenName {
    issued.holder(of: digest).map { APITokenName(id: $0.id, name: $0.name) }
      ?? APITokenName(id: Self.firstID, name: nil)
  }

  /// Returns the token of a request, which may have expired; `nil` for one that was not issued.
  ///
  /// Takes the same time for all tokens that were not issued.
  func recognize(_ token: String?) -> RecognizedToken? {
    guard let token, token.utf8.count <= Self.maximumLength else { return nil }
    let digest = TokenDigest(of: token)
    return holder(of: digest).map { RecognizedToken(digest: digest, holder: $0) }
  }

  /// Returns the token with a digest as its caller may see it, expired or not; `nil` for one that was
  /// not issued, or revoked.
  func holder(of digest: TokenDigest) -> APITokenHolder? {
    let issued = issued.holder(of: digest)
    guard digest == first else { return issued }
    return APITokenHolder(id: Self.firstID, name: Self.firstID, role: .admin, expiresAt: nil)
  }
}

extension APITokens {
  /// The lifetime of a ticket, in milliseconds.
  static let ticketLifetime: Int64 = 30_000
}

/// The token of a call.
struct RecognizedToken: Sendable {
  let digest: TokenDigest
  let holder: APITokenHolder
}

/// A token of the Platform API without its secret.
struct APITokenHolder: Sendable, Equatable {
  let id: String
  let name: String
  let role: APITokenRole
  /// Unix milliseconds, the first moment at which calls are refused; `nil` when it does not expire.
  let expiresAt: Int64?

  /// - Parameter now: Unix milliseconds.
  func hasExpired(at now: Int64) -> Bool { expiresAt.map { $0 <= now } ?? false }
}

/// The name of a token of the Platform API in logs.
struct APITokenName: Sendable, Hashable, CustomStringConvertible {
  let id: String
  /// `nil` for the first token.
  let name: String?

  var description: String { name.map { "\($0) (\(id))" } ?? id }
}

/// The tokens that were issued over the Platform API itself, as stored.
///
/// Every call reads the tokens, on any thread, so they are kept in memory. A change is applied here once
/// the store has made it durable, and takes effect on all shards at once.
final class IssuedAPITokens: Sendable {
  /// The interval at which the use of a token is recorded, in milliseconds.
  private static let useInterval: Int64 = 60_000

  private struct Entry {
    let holder: APITokenHolder
    let digest: TokenDigest
    var notedAt: Int64

    init?(_ token: APIToken) {
      guard let digest = TokenDigest(stored: token.hash) else { return nil }
      holder = APITokenHolder(
        id: token.id, name: token.name, role: token.role, expiresAt: token.expiresAt)
      (self.digest, notedAt) = (digest, token.lastUsedAt)
    }
  }

  private let entries: Mutex<[Entry]>

  init(_ tokens: [APIToken]) {
    entries = Mutex(tokens.compactMap { Entry($0) })
  }

  /// All tokens, in the order in which they became known.
  var all: [APITokenHolder] { entries.withLock { $0.map(\.holder) } }

  /// Returns the token with a digest, if there is one.
  ///
  /// Takes the same time for all digests.
  func holder(of digest: TokenDigest) -> APITokenHolder? {
    entries.withLock { entries in
      Self.place(of: digest, in: entries).map { entries[$0].holder }
    }
  }

  /// Returns whether the use of a token should be recorded, which happens once a minute.
  ///
  /// - Parameter now: Unix milliseconds.
  func isDue(_ digest: TokenDigest, at now: Int64) -> Bool {
    entries.withLock { entries in
      guard let place = Self.place(of: digest, in: entries),
        now - entries[place].notedAt >= Self.useInterval
      else { return false }
      entries[place].notedAt = now
      return true
    }
  }

  /// The digest of the token with an id.
  func digest(ofID id: String) -> TokenDigest? {
    entries.withLock { $0.first { $0.holder.id == id }?.digest }
  }

  /// Replaces the tokens with those in the store.
  func replace(with tokens: [APIToken]) {
    let new = tokens.compactMap { Entry($0) }
    entries.withLock { entries in
      let notes = Dictionary(entries.map { ($0.holder.id, $0.notedAt) }) { max($0, $1) }
      entries = new.map { entry in
        var entry = entry
        entry.notedAt = max(entry.notedAt, notes[entry.holder.id] ?? 0)
        return entry
      }
    }
  }

  /// Accepts a token from now on.
  func insert(_ token: APIToken) {
    guard let entry = Entry(token) else { return }
    entries.withLock { $0.append(entry) }
  }

  /// Rejects a token from now on.
  func remove(_ digest: TokenDigest) {
    entries.withLock { entries in entries.removeAll { $0.digest == digest } }
  }

  /// Compares all tokens, wherever the match is.
  private static func place(of digest: TokenDigest, in entries: [Entry]) -> Int? {
    var place: Int?
    for (index, entry) in entries.enumerated() where entry.digest == digest { place = index }
    return place
  }
}
