import Basics

/// A parsed token that has not been verified (RFC 7515 §7.1).
///
///     header . payload . signature      each in base64url without padding
///     ╰─ signed ─────╯
struct CompactToken {
  let algorithm: String
  let payload: [UInt8]
  let signature: [UInt8]
  /// The characters that the signature covers.
  let signedText: [UInt8]

  /// Splits a token and parses its header.
  ///
  /// Of the header, only `alg` and `crit` are used. Members such as `kid`, `jku`, `jwk` and `x5u` are
  /// ignored: a token must not choose the key that verifies it.
  init(_ token: String) throws(TokenError) {
    guard token.utf8.count <= TokenVerifier.sizeLimit else { throw .tooLong }
    let characters = Array(token.utf8)
    let parts = characters.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed("it does not have three parts") }
    algorithm = try Self.readHeader(parts[0])
    payload = try Self.decode(parts[1], part: "payload")
    signature = try Self.decode(parts[2], part: "signature")
    signedText = Array(characters[..<parts[1].endIndex])
  }

  private static func readHeader(_ text: ArraySlice<UInt8>) throws(TokenError) -> String {
    let header = try JOSEObject(decode(text, part: "header"), part: "header")
    guard !header.has("crit") else { throw .criticalHeader }
    guard let algorithm = try header.text("alg") else { throw .malformed("alg is missing") }
    return algorithm
  }

  private static func decode(
    _ text: ArraySlice<UInt8>, part: String
  ) throws(TokenError) -> [UInt8] {
    guard let bytes = Base64URL.decode(text) else {
      throw .malformed("the \(part) is not base64url")
    }
    return bytes
  }
}

/// A token's header or payload: one JSON object with unique names.
struct JOSEObject {
  private let root: JSONNode

  private static let limits = JSONLimits(byteCount: 8192, depth: 16, nodeCount: 1024)
  /// 2^53: larger times are not exact; this limit is 285 million years away.
  private static let timeLimit = 9_007_199_254_740_992.0

  /// - Parameter part: The name of the part in errors.
  init(_ bytes: [UInt8], part: String) throws(TokenError) {
    do {
      root = try JSONDocument(bytes, limits: Self.limits).root
    } catch {
      throw .malformed("the \(part) is not JSON: \(error)")
    }
    guard root.kind == .object else { throw .malformed("the \(part) is not an object") }
  }

  func has(_ name: String) -> Bool {
    root[name] != nil
  }

  /// A string, or `nil` when the member is missing.
  func text(_ name: String) throws(TokenError) -> String? {
    guard let member = root[name] else { return nil }
    guard let text = member.string else { throw .malformed("\(name) is not a string") }
    return text
  }

  /// A NumericDate (RFC 7519 §2), or `nil` when the member is missing.
  ///
  /// A fraction is rounded up: compared with whole seconds, that gives exact results for both `exp` and
  /// `nbf`.
  func time(_ name: String) throws(TokenError) -> Int64? {
    guard let member = root[name] else { return nil }
    guard let seconds = member.number, abs(seconds) <= Self.timeLimit else {
      throw .malformed("\(name) is not a time")
    }
    return Int64(seconds.rounded(.up))
  }
}

/// The claims of a verified token (RFC 7519 §4.1); members that are not listed are ignored.
package struct Claims: Equatable, Sendable {
  /// The user that the token was issued for (`sub`).
  package let subject: String
  /// The first second in which the token is no longer valid (`exp`), Unix time.
  package let expiresAt: Int64?
  /// The first second in which it is valid (`nbf`), Unix time.
  package let notBefore: Int64?

  /// Parses the payload of a token whose signature was verified.
  init(payload: [UInt8]) throws(TokenError) {
    let object = try JOSEObject(payload, part: "payload")
    guard let subject = try object.text("sub"), !subject.isEmpty else {
      throw .malformed("sub is missing")
    }
    self.subject = subject
    expiresAt = try object.time("exp")
    notBefore = try object.time("nbf")
  }

  /// Checks the times, without leeway.
  func check(at now: Int64) throws(TokenError) {
    if let expiresAt, now >= expiresAt { throw .expired(at: expiresAt) }
    if let notBefore, now < notBefore { throw .notYetValid(until: notBefore) }
  }
}
