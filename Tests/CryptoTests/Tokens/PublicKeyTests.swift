import COpenSSL
import Crypto
import Foundation
import Testing
import ParleyProtocol

@Suite("Keys for verifying tokens")
struct PublicKeyTests {
  /// Makes a key pair by its name in OpenSSL, and returns the public half as PEM.
  private func makePublicKey(_ name: String, _ parameter: (OpaquePointer) -> Void) throws -> String
  {
    let context = try #require(EVP_PKEY_CTX_new_from_name(nil, name, nil))
    defer { EVP_PKEY_CTX_free(context) }
    EVP_PKEY_keygen_init(context)
    parameter(context)
    var key: OpaquePointer?
    EVP_PKEY_keygen(context, &key)
    let made = try #require(key)
    defer { EVP_PKEY_free(made) }
    let memory = try #require(BIO_new(BIO_s_mem()))
    defer { BIO_free(memory) }
    try #require(PEM_write_bio_PUBKEY(memory, made) == 1)
    var text = [UInt8](repeating: 0, count: 4096)
    let count = BIO_read(memory, &text, 4096)
    return String(decoding: text.prefix(Int(count)), as: UTF8.self)
  }

  private func reason(_ pem: String) -> String? {
    do {
      _ = try TokenVerifier(publicKeyPEM: pem)
      return nil
    } catch TokenKeyError.unsupportedKey(_, let reason) {
      return reason
    } catch {
      return "\(error)"
    }
  }

  @Test("an RSA key of less than 2048 bits is refused")
  func smallRSA() throws {
    let small = try makePublicKey("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, 1024) }
    #expect(reason(small) == "an RSA key must have at least 2048 bits")
  }

  @Test("an EC key on another curve is refused")
  func otherCurve() throws {
    let other = try makePublicKey("EC") { EVP_PKEY_CTX_set_group_name($0, "P-384") }
    #expect(reason(other) == "an EC key must be on the curve P-256")
  }

  @Test("a key that is not for signatures is refused")
  func otherKind() throws {
    let other = try makePublicKey("X25519") { _ in }
    #expect(reason(other) == "the key must be RSA, EC (P-256) or Ed25519")
  }

  @Test(
    "a text without a public key is refused", arguments: ["", "hello", "-----BEGIN PUBLIC KEY"])
  func noKey(text: String) {
    #expect(throws: TokenKeyError.noPublicKey(path: "(inline)")) {
      try TokenVerifier(publicKeyPEM: text)
    }
  }

  @Test("a key is read from a file, and a missing file is named")
  func file() throws {
    let url = FileManager.default.temporaryDirectory
      .appendingPathComponent("parley-key-\(UUID().uuidString).pem")
    #expect(throws: TokenKeyError.unreadableFile(path: url.path, errno: 2)) {
      try TokenVerifier(publicKeyPath: url.path)
    }
    try Data(#require(Example.edDSA.publicKey).utf8).write(to: url)
    defer { try? FileManager.default.removeItem(at: url) }
    _ = try TokenVerifier(publicKeyPath: url.path)
  }

  @Test("an empty secret is refused")
  func emptySecret() {
    #expect(throws: TokenKeyError.emptySecret) { try TokenVerifier(secret: "") }
  }
}
