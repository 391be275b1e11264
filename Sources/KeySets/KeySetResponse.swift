internal import Basics
internal import Crypto
package import ParleyProtocol

/// The outcome of a fetch, as metrics count it.
package enum KeySetOutcome: String, Sendable, CaseIterable {
  case fetched
  /// No response within ``KeySetRequest/timeout``.
  case timedOut = "timed_out"
  /// No connection, or a certificate that is not trusted.
  case unreachable
  /// A response with another status than 200, including redirects.
  case status
  /// A document that is too large, no key set, or without a usable key.
  case unusable
}

/// A fetched key set.
package struct FetchedKeySet: Sendable {
  /// The document as received.
  package let bytes: [UInt8]
  package let set: KeySet
  package let keys: IssuerKeys
  /// The keys of the set that are not used.
  package let ignored: [KeySet.Ignored]

  /// Makes the keys of a document.
  package init(_ bytes: [UInt8], for issuer: TokenIssuer) throws(KeySetError) {
    self.bytes = bytes
    set = try KeySet(bytes)
    (keys, ignored) = try IssuerKeys.make(set, for: issuer)
  }
}

/// The reason why a fetch brought no keys.
package struct KeySetFailure: Error, Sendable, Hashable, CustomStringConvertible {
  package let outcome: KeySetOutcome
  package let description: String

  init(_ outcome: KeySetOutcome, _ description: String) {
    self.outcome = outcome
    self.description = description
  }

  init(status: Int) {
    self.init(
      .status,
      (300..<400).contains(status)
        ? "the server redirects with status \(status), which is not followed"
        : "the server answers with status \(status)")
  }
}

extension FetchedKeySet {
  /// Reads a complete response.
  static func read(
    status: Int, body: [UInt8], for issuer: TokenIssuer
  ) -> Result<FetchedKeySet, KeySetFailure> {
    guard status == 200 else { return .failure(KeySetFailure(status: status)) }
    do throws(KeySetError) {
      return .success(try FetchedKeySet(body, for: issuer))
    } catch {
      return .failure(KeySetFailure(.unusable, "\(error)"))
    }
  }
}
