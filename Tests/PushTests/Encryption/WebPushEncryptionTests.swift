import Basics
import Crypto
import ParleyProtocol
import Push
import TestSupport
import Testing

/// The example of RFC 8291, section 5 and appendix A.
private enum Example {
  static let text = "When I grow up, I want to be a watermelon"
  static let secret = "BTBZMqHH6r4Tts7J_aSIgg"
  static let receiverSecret = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"
  static let receiverPublic =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
  static let senderSecret = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
  static let senderPublic =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8"
  static let salt = "DGv6ra1nlYgDCS1FRnbzlw"
  static let message =
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS"
    + "6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4"
    + "a-fN"
}

@Suite("Encryption of Web Push messages")
struct WebPushEncryptionTests {
  private func bytes(_ text: String) throws -> [UInt8] {
    try #require(Base64URL.decode(text.utf8))
  }

  @Test("the example of RFC 8291, byte for byte")
  func example() throws {
    let receiver = try WebPushReceiver(
      WebPushSubscription(
        endpoint: "", publicKey: try bytes(Example.receiverPublic),
        secret: try bytes(Example.secret)))
    let key = try #require(P256Secret(try bytes(Example.senderSecret)))
    #expect(try key.publicKey.bytes == bytes(Example.senderPublic))
    let message = WebPushEncryption.encrypt(
      Array(Example.text.utf8), to: receiver, key: key, salt: try bytes(Example.salt))
    #expect(Base64URL.encode(message) == Example.message)
  }

  @Test("the browser of the example reads its message")
  func exampleOpened() throws {
    let key = try #require(P256Secret(try bytes(Example.receiverSecret)))
    let browser = Browser(key: key, secret: try bytes(Example.secret))
    #expect(browser.open(try bytes(Example.message)) == Array(Example.text.utf8))
  }

  @Test("both sides agree on a secret, whichever is multiplied")
  func agreement() throws {
    let sender = try #require(P256Secret(try bytes(Example.senderSecret)))
    let receiver = try #require(P256Secret(try bytes(Example.receiverSecret)))
    #expect(sender.agreed(with: receiver.publicKey) == receiver.agreed(with: sender.publicKey))
  }

  @Test(
    "browsers read messages of all lengths",
    arguments: [0, 1, 15, 16, 17, 3_000, WebPushEncryption.plainByteCount])
  func lengths(count: Int) throws {
    var generator = SeededGenerator(seed: UInt64(count))
    for _ in 0..<8 {
      let browser = Browser(&generator)
      let plain = generator.bytes(count)
      let message = WebPushEncryption.encrypt(
        plain, to: try browser.receiver(), key: P256Secret.any(&generator),
        salt: generator.bytes(WebPushEncryption.saltByteCount))
      #expect(message.count == 16 + 4 + 1 + 65 + count + 1 + 16)
      #expect(browser.open(message) == plain)
      var changed = message
      changed[Int.random(in: 86..<message.count, using: &generator)] ^= 1
      #expect(browser.open(changed) == nil)
      #expect(Browser(&generator).open(message) == nil)
    }
  }

  @Test("the longest message fills one record of 4,096 bytes")
  func record() { #expect(WebPushEncryption.plainByteCount == 4_096 - 86 - 17) }

  @Test("keys that are no points of the curve are refused")
  func hostileKeys() throws {
    let good = try bytes(Example.receiverPublic)
    var offCurve = good
    offCurve[64] ^= 1
    var compressed = Array(good.prefix(33))
    compressed[0] = 2
    var hybrid = good
    hybrid[0] = 6 | good[64] & 1
    let prime: [UInt8] =
      [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1] + Array(repeating: 0, count: 12)
      + Array(repeating: 0xff, count: 12)
    let hostile: [[UInt8]] = [
      [], [0], [4], Array(good.dropLast()), good + [0], offCurve, compressed, hybrid,
      [5] + good.dropFirst(), [4] + Array(repeating: 0, count: 64),
      [4] + Array(repeating: 0xff, count: 64), [4] + prime + prime,
      Array(repeating: 0, count: 65),
    ]
    #expect(P256Point(good) != nil)
    for key in hostile {
      #expect(P256Point(key) == nil)
      let subscription = WebPushSubscription(
        endpoint: "", publicKey: key, secret: try bytes(Example.secret))
      #expect(throws: ServiceError.pushKeyNotOnCurve) { try WebPushReceiver(subscription) }
    }
    let shortSecret = WebPushSubscription(
      endpoint: "", publicKey: good, secret: [UInt8](repeating: 1, count: 15))
    #expect(throws: ServiceError.pushKeyNotOnCurve) { try WebPushReceiver(shortSecret) }
  }

  @Test("random points are almost never accepted, and never crash")
  func randomKeys() {
    var generator = SeededGenerator(seed: 7)
    let accepted = (0..<2_000).filter { _ in P256Point([4] + generator.bytes(64)) != nil }
    #expect(accepted.isEmpty)
  }

  @Test("secrets are numbers from 1 to the order of the curve, less one")
  func secretRange() throws {
    let order: [UInt8] =
      [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0] + Array(repeating: 0xff, count: 8) + [
        0xbc, 0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25,
        0x51,
      ]
    var last = order
    last[31] -= 1
    #expect(P256Secret(last) != nil)
    #expect(P256Secret(Array(repeating: 0, count: 31) + [1]) != nil)
    let outOfRange: [[UInt8]] = [
      order, Array(repeating: 0, count: 32), Array(repeating: 0xff, count: 32), [],
      Array(last.dropLast()), [0] + last,
    ]
    for secret in outOfRange {
      #expect(P256Secret(secret) == nil)
    }
    #expect("\(try #require(P256Secret(last)))" == "a P-256 secret")
  }
}
