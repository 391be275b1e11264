import Basics

/// A parsed token that has not been verified (RFC 7515 §7.1).
///
///     header . payload . signature      each in base64url without padding
///     ╰─ signed ─────╯
package struct CompactToken: Sendable {
  let algorithm: String
  private let header: JOSEObject
  let payload: [UInt8]
  let signature: [UInt8]
  /// The characters that the signature covers.
  let signedText: [UInt8]

  /// Splits a token and parses its header.
  ///
  /// Of the header, only `alg` and `crit` are used, and `kid` to choose among the keys of the token's
  /// issuer. Members such as `jku`, `jwk` and `x5u` are ignored: a token must not bring the key that
  /// verifies it.
  package init(_ token: String) throws(TokenError) {
    guard token.utf8.count <= TokenVerifier.sizeLimit else { throw .tooLong }
    let characters = Array(token.utf8)
    let parts = characters.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed("it does not have three parts") }
    header = try JOSEObject(Self.decode(parts[0], part: "header"), part: "header")
    algorithm = try Self.algorithm(in: header)
    payload = try Self.decode(parts[1], part: "payload")
    signature = try Self.decode(parts[2], part: "signature")
    signedText = Array(characters[..<parts[1].endIndex])
  }

  /// The name of the key (`kid`), or `nil` when the header has none.
  package func keyID() throws(TokenError) -> String? {
    let text = try header.text("kid")
    guard (text?.utf8.count ?? 0) <= KeySet.keyIDByteLimit else {
      throw .malformed("kid is longer than \(KeySet.keyIDByteLimit) bytes")
    }
    return text
  }

  /// The issuer that the payload names (`iss`), before the signature is checked; `nil` without a
  /// readable one.
  package var claimedIssuer: String? {
    guard let object = try? JOSEObject(payload, part: "payload") else { return nil }
    return try? object.text("iss")
  }

  private static func algorithm(in header: JOSEObject) throws(TokenError) -> String {
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
struct JOSEObject: Sendable {
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

  /// The audiences of a token (RFC 7519 §4.1.3): a string or an array of strings.
  func audiences() throws(TokenError) -> [String] {
    guard let member = root["aud"] else { return [] }
    if let text = member.string { return [text] }
    let elements = Array(member.elements)
    let texts = elements.compactMap(\.string)
    guard member.kind == .array, texts.count == elements.count else {
      throw .malformed("aud is neither a string nor an array of strings")
    }
    return texts
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
