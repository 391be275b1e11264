import Basics
import TestSupport
import Testing

@Suite("UTF-8 validation")
struct UTF8ValidatorTests {
  /// The number of bytes accepted one at a time before the first refusal.
  private func accepted(_ bytes: [UInt8]) -> Int {
    var validator = UTF8Validator()
    return bytes.prefix { validator.validate([$0].span) }.count
  }

  /// What the validator says of pieces, one after another, and whether it is then complete.
  private func verdicts(_ pieces: [[UInt8]]) -> (accepts: [Bool], isComplete: Bool) {
    var validator = UTF8Validator()
    let accepts = pieces.map { validator.validate($0.span) }
    return (accepts, validator.isComplete)
  }

  @Test(
    "accepts complete texts", arguments: ["", "hello", "Hello-µ@ßöäüàá-UTF-8!!", "κόσμε", "🎉👩‍👧"])
  func valid(text: String) {
    #expect(verdicts([Array(text.utf8)]) == ([true], true))
  }

  @Test("accepts the first and last scalar of each length")
  func boundaries() {
    let scalars: [UInt32] = [
      0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x1_0000, 0x10_FFFF,
    ]
    for scalar in scalars.compactMap(Unicode.Scalar.init) {
      #expect(verdicts([Array(String(Character(scalar)).utf8)]) == ([true], true))
    }
  }

  @Test(
    "refuses input at the first invalid byte",
    arguments: [
      ([0x80], 0), ([0xC0], 0), ([0xC1], 0), ([0xF5], 0), ([0xFF], 0), ([0xFE], 0),
      ([0xE0, 0x9F], 1), ([0xED, 0xA0], 1), ([0xF0, 0x8F], 1), ([0xF4, 0x90], 1),
      ([0xC3, 0x28], 1), ([0xE2, 0x82, 0x28], 2), ([0xF0, 0x9F, 0x8E, 0x28], 3),
    ] as [([UInt8], Int)])
  func refusal(bytes: [UInt8], place: Int) {
    #expect(accepted(bytes) == place)
    let prefix = [UInt8](repeating: 0x61, count: 21)
    #expect(accepted(prefix + bytes) == 21 + place)
  }

  @Test("stays in the refused state after a refusal")
  func sticky() {
    #expect(verdicts([[0xFF], [0x61], []]) == ([false, false, false], false))
  }

  @Test("detects a text that ends within a scalar")
  func incomplete() {
    #expect(verdicts([[0xF0, 0x9F]]) == ([true], false))
    #expect(verdicts([[0xF0, 0x9F], [0x8E, 0x89]]) == ([true, true], true))
  }

  @Test("agrees with the standard library for input split at any point", arguments: UInt64(1)...200)
  func reference(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes = (0..<40).flatMap { _ in
      let number = UInt32.random(in: 0...0xD7FF, using: &generator)
      return Array(String(Character(Unicode.Scalar(number) ?? "a")).utf8)
    }
    if Bool.random(using: &generator) {
      let place = bytes.indices.randomElement(using: &generator) ?? 0
      bytes[place] = UInt8.random(in: 0...255, using: &generator)
    }
    var validator = UTF8Validator()
    let isValid = generator.pieces(of: bytes).allSatisfy { validator.validate($0.span) }
    #expect((isValid && validator.isComplete) == (String(validating: bytes, as: UTF8.self) != nil))
  }
}
