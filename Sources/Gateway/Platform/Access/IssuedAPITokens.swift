import Configuration
import Crypto
import Store
import Synchronization

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

  /// A key for what the store keeps sealed: the servers of a deployment, which have one first token,
  /// have the same.
  var sealingKey: [UInt8] {
    HMACSHA256.code(of: Array("parley sealed secrets".utf8), under: first.bytes) ?? []
  }

  /// The name of a token that may pass, for people.
  func name(of digest: TokenDigest) -> APITokenName {
    issued.name(of: digest) ?? APITokenName(id: Self.firstID, name: nil)
  }

  /// The token of a request if it may pass; takes equally long for all wrong ones.
  func admit(_ token: String?) -> TokenDigest? {
    guard let token, token.utf8.count <= Self.maximumLength else { return nil }
    let digest = TokenDigest(of: token)
    let isIssued = issued.contains(digest)
    return digest == first || isIssued ? digest : nil
  }
}

/// The name of a token of the Platform API in logs.
struct APITokenName: Sendable, Hashable, CustomStringConvertible {
  let id: String
  /// `nil` for the first token.
  let name: String?

  var description: String { name.map { "\($0) (\(id))" } ?? id }
}

/// The tokens that were issued over the Platform API itself, as the store has them.
///
/// Read at every call, on any thread, so kept in memory. A change of the store is made here when it
/// is durable, and holds on every shard at once.
final class IssuedAPITokens: Sendable {
  /// How often a token's use is noted, in milliseconds.
  private static let useInterval: Int64 = 60_000

  private struct Entry {
    let id: String
    let name: String
    let digest: TokenDigest
    var notedAt: Int64

    init?(_ token: APIToken) {
      guard let digest = TokenDigest(stored: token.hash) else { return nil }
      (id, name, self.digest, notedAt) = (token.id, token.name, digest, token.lastUsedAt)
    }
  }

  private let entries: Mutex<[Entry]>

  init(_ tokens: [APIToken]) {
    entries = Mutex(tokens.compactMap { Entry($0) })
  }

  /// Whether a digest is that of a token; takes equally long for all.
  func contains(_ digest: TokenDigest) -> Bool {
    entries.withLock { Self.place(of: digest, in: $0) != nil }
  }

  /// Whether the use of a token is to be written down, which is so once a minute.
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

  /// The name of an issued token.
  func name(of digest: TokenDigest) -> APITokenName? {
    entries.withLock { entries in
      Self.place(of: digest, in: entries).map {
        APITokenName(id: entries[$0].id, name: entries[$0].name)
      }
    }
  }

  /// The digest of the token with an id.
  func digest(ofID id: String) -> TokenDigest? {
    entries.withLock { $0.first { $0.id == id }?.digest }
  }

  /// Takes over the tokens that the store has now.
  func replace(with tokens: [APIToken]) {
    let new = tokens.compactMap { Entry($0) }
    entries.withLock { entries in
      let notes = Dictionary(entries.map { ($0.id, $0.notedAt) }) { max($0, $1) }
      entries = new.map { entry in
        var entry = entry
        entry.notedAt = max(entry.notedAt, notes[entry.id] ?? 0)
        return entry
      }
    }
  }

  /// Lets a token pass from now on.
  func insert(_ token: APIToken) {
    guard let entry = Entry(token) else { return }
    entries.withLock { $0.append(entry) }
  }

  /// Lets a token pass no longer.
  func remove(_ digest: TokenDigest) {
    entries.withLock { entries in entries.removeAll { $0.digest == digest } }
  }

  /// Looks at all, wherever the one that is looked for stands.
  private static func place(of digest: TokenDigest, in entries: [Entry]) -> Int? {
    var place: Int?
    for (index, entry) in entries.enumerated() where entry.digest == digest { place = index }
    return place
  }
}
