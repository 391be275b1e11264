import Basics

/// A token taken apart, nothing of it believed yet (RFC 7515 §7.1).
///
///     header . payload . signature      each in base64url without padding
///     ╰─ signed ─────╯
struct CompactToken {
  let algorithm: String
  let payload: [UInt8]
  let signature: [UInt8]
  /// The characters that the signature covers.
  let signedText: [UInt8]

  /// Takes a token apart and reads its header.
  ///
  /// Of the header, `alg` and `crit` count. `kid`, `jku`, `jwk`, `x5u` and the like are ignored: a
  /// token has no say in which key it is verified with.
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
