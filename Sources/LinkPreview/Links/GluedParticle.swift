/// A Korean or Japanese particle that is written to the end of a path: `https://a.com/docs입니다`.
///
/// Paths hold words of these scripts too, so that only the particles themselves, behind an ASCII
/// character, are taken for the sentence's.
enum GluedParticle {
  /// Where the particle begins with which `range` ends, `nil` when there is none.
  static func start(atEndOf range: Range<Int>, in text: LinkText) -> Int? {
    var start = range.upperBound
    while range.upperBound - start <= longest, start > range.lowerBound,
      let scalar = text[start - 1],
      !scalar.isASCII
    { start -= 1 }
    guard start > range.lowerBound, start < range.upperBound,
      all.contains(text.string(start..<range.upperBound))
    else { return nil }
    return start
  }

  private static let longest = 4

  private static let all: Set<String> = [
    "가", "과", "까지", "는", "도", "라고", "랑", "로", "를", "만", "부터", "에", "에서", "에는", "예요",
    "와", "으로", "은", "을", "의", "이", "이고", "이나", "이다", "이랑", "이며", "이에요", "인데",
    "임", "입니까", "입니다", "입니다만", "처럼",
    "が", "から", "だ", "で", "です", "ですか", "と", "に", "の", "は", "へ", "まで", "も", "より", "を",
  ]
}
