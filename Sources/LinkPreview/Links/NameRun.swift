/// A run of host scalars and dots, in which a name may be glued to words.
enum NameRun {
  /// Where the run that begins at `start` ends; a dot belongs to it when a label follows.
  static func end(from start: Int, in text: LinkText) -> Int {
    var end = start
    while let scalar = text[end] {
      if scalar.isDot {
        guard end > start, text[end + 1]?.isHostScalar == true,
          scalar != "\u{3002}" || text[end - 1]?.isASCII == true
        else { break }
      } else if !scalar.isHostScalar {
        break
      }
      end += 1
    }
    return end
  }

  /// Where the name begins when a word of another script precedes it: `주소는sendbird.com`.
  static func nameStart(in run: Range<Int>, of text: LinkText) -> Int {
    var start = run.lowerBound
    for index in run.dropFirst() {
      if text.scalars[index].isDot { break }
      if text.scalars[index].isASCIIAlphanumeric, text.scalars[index - 1].isForeignToLatin {
        start = index
      }
    }
    return start
  }

  /// The name that `run` begins with, which may be all of it, as far as its ending is known.
  ///
  /// What may be glued to it is a word of another script, `sendbird.com입니다`, or the beginning
  /// of the next sentence, `sendbird.com.Then`.
  static func known(in run: Range<Int>, of text: LinkText) -> (name: BareName, end: Int)? {
    var end = run.upperBound
    for _ in 0..<4 {
      while end > run.lowerBound, let last = text[end - 1], last == "-" || last.isDot { end -= 1 }
      if let name = BareName(run.lowerBound..<end, in: text) { return (name, end) }
      guard let cut = withoutGluedWord(run.lowerBound..<end, in: text) else { return nil }
      end = cut
    }
    return nil
  }

  private static func withoutGluedWord(_ name: Range<Int>, in text: LinkText) -> Int? {
    guard let dot = text.scalars[name].lastIndex(where: \.isDot) else { return nil }
    let label = text.scalars[(dot + 1)..<name.upperBound]
    if let foreign = label.firstIndex(where: \.isForeignToLatin) { return foreign }
    return label.first?.properties.isUppercase == true && label.isMixedCase ? dot : nil
  }
}
