/// Decides where a link ends in a text: punctuation behind it belongs to the sentence.
enum LinkEnd {
  /// The end of `range` without particles, trailing punctuation, possessive `'s` and escaped
  /// characters such as `&amp;`.
  static func trim(_ range: Range<Int>, in text: LinkText) -> Int {
    var end = GluedParticle.start(atEndOf: range, in: text) ?? range.upperBound
    while end > range.lowerBound, let last = text[end - 1] {
      if last == ";" {
        end = max(range.lowerBound, characterReferenceStart(before: end - 1, in: text) ?? end - 1)
      } else if isPunctuation(last) {
        end -= 1
      } else if last == "s", end - 2 >= range.lowerBound, text[end - 2] == "'" {
        end -= 2
      } else {
        break
      }
    }
    return end
  }

  /// Where the `&` of a character reference stands whose name ends at `end`.
  private static func characterReferenceStart(before end: Int, in text: LinkText) -> Int? {
    var index = end
    while end - index <= longestReference, let scalar = text[index - 1] {
      index -= 1
      if scalar == "&" { return end - index > 1 ? index : nil }
      guard scalar.isASCIIAlphanumeric || scalar == "#" else { return nil }
    }
    return nil
  }

  private static let longestReference = 32

  private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "?", "!", ".", ",", ":", "*", "_", "~", "^", "'", "(", "[", "{", "\u{2013}": true
    default: scalar.isMiddleDot || scalar.isJoiner
    }
  }
}
