import Basics
import Testing

@testable import ParleyProtocol

@Suite("Key sets")
struct KeySetTests {
  private static let modulus = Base64URL.encode([0xc1] + [UInt8](repeating: 7, count: 255))
  private static let coordinate = Base64URL.encode([UInt8](repeating: 9, count: 32))

  private static let rsa = #""kty":"RSA","n":"\#(modulus)","e":"AQAB""#
  private static let p256 = #""kty":"EC","crv":"P-256","x":"\#(coordinate)","y":"\#(coordinate)""#
  private static let ed25519 = #""kty":"OKP","crv":"Ed25519","x":"\#(coordinate)""#

  private func set(_ members: String...) throws -> KeySet {
    let keys = members.map { "{\($0)}" }.joined(separator: ",")
    return try KeySet(Array(#"{"keys":[\#(keys)]}"#.utf8))
  }

  private func algorithms(_ members: String) throws -> [String] {
    try set(members).keys.first?.key.algorithms.map(\.rawValue) ?? []
  }

  private func fault(_ members: String) throws -> String? {
    let set = try set(members)
    #expect(set.keys.isEmpty == !set.ignored.isEmpty)
    return set.ignored.first?.reason
  }

  @Test("the kind and curve of a key determine its algorithms")
  func kinds() throws {
    #expect(try algorithms(Self.rsa) == ["RS256", "RS384", "RS512", "PS256"])
    #expect(try algorithms(Self.p256) == ["ES256"])
    #expect(try algorithms(Self.ed25519) == ["EdDSA"])
    let large = Base64URL.encode([UInt8](repeating: 9, count: 48))
    #expect(
      try algorithms(#""kty":"EC","crv":"P-384","x":"\#(large)","y":"\#(large)""#) == ["ES384"])
  }

  @Test("alg limits a key to one algorithm, which must fit it")
  func algorithm() throws {
    #expect(try algorithms(Self.rsa + #","alg":"PS256""#) == ["PS256"])
    #expect(
      try fault(Self.rsa + #","alg":"ES256""#)
        == #"alg is "ES256", which is not of this kind of key"#)
    #expect(try fault(Self.p256 + #","alg":"HS256""#)?.hasPrefix(#"alg is "HS256""#) == true)
    #expect(try fault(Self.rsa + #","alg":"RSA-OAEP""#)?.hasPrefix(#"alg is "RSA-OAEP""#) == true)
    #expect(try fault(Self.rsa + #","alg":256"#) == "alg is not a text")
  }

  @Test("a key for other uses is not used")
  func uses() throws {
    #expect(try algorithms(Self.p256 + #","use":"sig","key_ops":["sign","verify"]"#) == ["ES256"])
    #expect(try fault(Self.p256 + #","use":"enc""#) == "use is not sig")
    #expect(
      try fault(Self.p256 + #","key_ops":["encrypt"]"#) == "key_ops does not contain verify")
    #expect(try fault(Self.p256 + #","key_ops":"verify""#) == "key_ops does not contain verify")
    #expect(try fault(Self.p256 + #","key_ops":[]"#) == "key_ops does not contain verify")
  }

  @Test(
    "numbers that are missing or of a wrong size are named",
    arguments: [
      (#""kty":"RSA","e":"AQAB""#, "n is missing"),
      (#""kty":"RSA","n":"\#(modulus)""#, "e is missing"),
      (#""kty":"RSA","n":"\#(modulus)=","e":"AQAB""#, "n is not base64url"),
      (#""kty":"RSA","n":"AQAB","e":"AQAB""#, "n has 17 bits, not 2048 to 8192"),
      (#""kty":"RSA","n":"","e":"AQAB""#, "n has 0 bits, not 2048 to 8192"),
      (#""kty":"RSA","n":"\#(modulus)","e":"AQ""#, "e is not an odd number from 3 to 2^64"),
      (#""kty":"RSA","n":"\#(modulus)","e":"Ag""#, "e is not an odd number from 3 to 2^64"),
      (#""kty":"RSA","n":"\#(modulus)","e":"""#, "e is not an odd number from 3 to 2^64"),
      (
        #""kty":"RSA","n":"\#(modulus)","e":"AQAAAAAAAAAB""#,
        "e is not an odd number from 3 to 2^64"
      ),
      (#""kty":"EC","crv":"P-256","x":"AQAB","y":"\#(coordinate)""#, "x has 3 bytes, not 32"),
      (#""kty":"EC","crv":"P-256","x":"\#(coordinate)""#, "y is missing"),
      (
        #""kty":"EC","crv":"secp256k1","x":"\#(coordinate)","y":"\#(coordinate)""#,
        #"crv is "secp256k1", not P-256 or P-384"#
      ),
      (#""kty":"OKP","crv":"X25519","x":"\#(coordinate)""#, #"crv is "X25519", not Ed25519"#),
      (#""kty":"oct","k":"c2VjcmV0""#, #"kty is "oct", not RSA, EC or OKP"#),
      (#""kid":"a""#, "kty is missing"), (#""kty":1"#, "kty is not a text"),
    ])
  func faults(members: String, reason: String) throws {
    #expect(try fault(members) == reason)
  }

  @Test("a modulus of more than 8192 bits is refused; leading zeros do not count")
  func modulusSize() throws {
    func key(_ modulus: [UInt8]) -> String {
      #""kty":"RSA","n":"\#(Base64URL.encode(modulus))","e":"AQAB""#
    }
    #expect(try algorithms(key([0, 0x80] + [UInt8](repeating: 1, count: 1_023))).count == 4)
    #expect(
      try fault(key([1] + [UInt8](repeating: 1, count: 1_024)))
        == "n has 8193 bits, not 2048 to 8192")
    #expect(
      try fault(key([0x7f] + [UInt8](repeating: 1, count: 255)))
        == "n has 2047 bits, not 2048 to 8192")
    #expect(try fault(key([0xff] + [UInt8](repeating: 2, count: 255))) == "n is an even number")
  }

  @Test("a private key is not used, and other keys of its set are")
  func privateKey() throws {
    let set = try set(Self.p256 + #","kid":"a","d":"AQAB""#, Self.p256 + #","kid":"b""#)
    #expect(set.keys.map(\.key.keyID) == ["b"])
    #expect(set.keys.map(\.index) == [1])
    #expect(
      set.ignored == [
        KeySet.Ignored(
          index: 0, keyID: "a", reason: "it is a private key, which must not be published")
      ])
  }

  @Test("a kid has at most 256 bytes")
  func keyID() throws {
    let id = String(repeating: "k", count: 256)
    #expect(try set(Self.p256 + #","kid":"\#(id)""#).keys.first?.key.keyID == id)
    #expect(try fault(Self.p256 + #","kid":"\#(id)x""#) == "kid is longer than 256 bytes")
    #expect(try fault(Self.p256 + #","kid":7"#) == "kid is not a text")
    #expect(try set(Self.p256).keys.first?.key.keyID == nil)
  }

  @Test("members that are not known do not matter")
  func unknownMembers() throws {
    let key = Self.p256 + #","x5c":["MIIB"],"x5t":"abc","ext":true,"more":{"a":[1]}"#
    #expect(try algorithms(key) == ["ES256"])
  }

  @Test("a document is refused when it is too large, too deep, or no key set")
  func documents() throws {
    func error(_ text: String) -> KeySetError? {
      do throws(KeySetError) {
        _ = try KeySet(Array(text.utf8))
        return nil
      } catch {
        return error
      }
    }
    #expect(error("{}") == .noList)
    #expect(error("[]") == .noList)
    #expect(error(#"{"keys":{}}"#) == .noList)
    #expect(error(#"{"keys":null}"#) == .noList)
    let hundred = Array(repeating: "{}", count: 100).joined(separator: ",")
    #expect(error(#"{"keys":[\#(hundred)]}"#) == nil)
    #expect(error(#"{"keys":[\#(hundred),1]}"#) == .tooManyKeys(101))
    #expect(error(String(repeating: " ", count: 262_143) + "{}") == .tooLarge)
    func isRefusedAsJSON(_ text: String) -> Bool {
      if case .notJSON = error(text) { true } else { false }
    }
    #expect(isRefusedAsJSON(""))
    #expect(isRefusedAsJSON("<html>"))
    let depth = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
    #expect(isRefusedAsJSON(#"{"keys":[\#(depth)]}"#))
    let nodes = Array(repeating: "1", count: 10_001).joined(separator: ",")
    #expect(isRefusedAsJSON(#"{"keys":[],"more":[\#(nodes)]}"#))
    #expect(isRefusedAsJSON(#"{"keys":[],"keys":[]}"#))
  }

  @Test("keys that are no objects are left out")
  func otherValues() throws {
    let set = try KeySet(Array(#"{"keys":[1,null,"x",[],{}]}"#.utf8))
    #expect(set.keys.isEmpty)
    #expect(
      set.ignored.map(\.reason)
        == Array(repeating: "it is not an object", count: 4) + ["kty is missing"])
  }
}
