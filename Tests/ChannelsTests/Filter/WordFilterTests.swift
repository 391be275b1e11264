import ParleyProtocol
import TestSupport
import Testing

@testable import Channels

@Suite("The word filter")
struct WordFilterTests {
  private func filtered(_ text: String, _ keywords: String...) -> String? {
    let filter = WordFilter(WordFilterRules(keywords: keywords, kind: .replace))
    return try? filter?.filtered(text)
  }

  @Test(
    "finds whole words, beginnings and ends",
    arguments: [
      ("a bad day", "bad", "a *** day"), ("badly", "bad", "badly"), ("abad", "bad", "abad"),
      ("bad", "bad", "***"), ("(bad)_bad-bad", "bad", "(***)_***-***"), ("bad2", "bad", "bad2"),
      ("badly bad abad", "bad*", "***** *** abad"), ("badly bad abad", "*bad", "badly *** ****"),
      ("abadly", "*bad*", "******"), ("so very bad", "very bad", "so ********"),
      ("bad\nday", "bad day", "*******"), ("", "bad", ""), ("bad bad", "bad", "*** ***"),
    ])
  func words(_ text: String, _ keyword: String, _ expected: String) {
    #expect(filtered(text, keyword) == expected)
  }

  @Test(
    "ignores case, accents, width and what is not shown",
    arguments: [
      ("BAD Bad", "bad", "*** ***"), ("bad", "BAD", "***"), ("bád ba\u{301}d", "bad", "*** ****"),
      ("ｂａｄ", "bad", "***"), ("bad", "ｂád", "***"), ("b\u{200B}a\u{AD}d!", "bad", "*****!"),
      ("STRASSE straße", "straße", "******* ******"), ("плохо ПЛОХО", "плохо", "***** *****"),
      ("bad", "b\u{200B}ad", "***"), ("ık ik", "ik", "ık **"), ("𝓫ⓐ𝕕 ", "bad", "*** "),
    ])
  func folding(_ text: String, _ keyword: String, _ expected: String) {
    #expect(filtered(text, keyword) == expected)
  }

  @Test(
    "finds words of scripts without spaces anywhere",
    arguments: [
      ("君は愚かだね", "愚か", "君は**だね"), ("คนเลวมาก", "เลว", "คน***มาก"),
      ("나쁜말", "나쁜", "나쁜말"), ("나쁜 말", "나쁜", "** 말"), ("x愚か", "愚か", "x**"),
    ])
  func withoutSpaces(_ text: String, _ keyword: String, _ expected: String) {
    #expect(filtered(text, keyword) == expected)
  }

  @Test("words that overlap or contain each other are all found")
  func overlaps() {
    #expect(filtered("ab bc abc", "ab", "abc", "bc") == "** ** ***")
    #expect(filtered("a b c", "a b", "b c") == "*****")
    #expect(filtered("shes", "he", "*she*") == "****")
    #expect(filtered("xhe", "*he", "xh") == "***")
  }

  @Test("a filter that is off, or has no words, does not exist")
  func none() {
    #expect(WordFilter(WordFilterRules(keywords: ["bad"], kind: .none)) == nil)
    #expect(WordFilter(WordFilterRules(kind: .block)) == nil)
  }

  @Test("a blocking filter throws for its words only")
  func blocking() throws {
    let filter = try #require(WordFilter(WordFilterRules(keywords: ["bad*"], kind: .block)))
    #expect(try filter.filtered("good") == "good")
    #expect(throws: ServiceError.filtered) { try filter.filtered("so badly") }
  }

  @Test("keywords that cannot be found are refused", arguments: ["", "*", "**", "a*b", "\u{301}"])
  func keywords(_ keyword: String) throws {
    #expect(FilteredWord(keyword) == nil)
    let body = JSONWriter.bytes { $0.object { $0.member("keywords", [keyword]) } }
    #expect(throws: ServiceError.self) { try Fields(body: body).filterKeywords() }
  }

  @Test("finds what a naive search finds, and keeps the number of characters", arguments: 1...300)
  func model(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    func text(_ limit: Int) -> String {
      let letters = ["a", "b", "A", "á", "a\u{301}", " ", ".", "愚", "ß", "ｂ", "\u{200B}", "1"]
      return (0..<Int.random(in: 1...limit, using: &random))
        .map { _ in letters.randomElement(using: &random) ?? "" }.joined()
    }
    var keywords: [String] = []
    while keywords.count < 5 {
      let keyword =
        (Bool.random(using: &random) ? "*" : "") + text(4)
        + (Bool.random(using: &random) ? "*" : "")
      if FilteredWord(keyword) != nil { keywords.append(keyword) }
    }
    let filter = try #require(WordFilter(WordFilterRules(keywords: keywords, kind: .replace)))
    for _ in 0..<20 {
      let text = text(30)
      let shown = try filter.filtered(text)
      #expect(shown.unicodeScalars.count == text.unicodeScalars.count)
      #expect(shown.utf8.count <= text.utf8.count)
      #expect((shown != text) == Self.contains(text, keywords), "\(text) \(keywords)")
    }
  }

  /// Whether one of the keywords is somewhere in a text, by comparing it at each place.
  private static func contains(_ text: String, _ keywords: [String]) -> Bool {
    let message = FoldedMessage(text)
    return keywords.compactMap(FilteredWord.init).contains { word in
      message.scalars.indices.contains { start in
        let end = start + word.scalars.count
        return end <= message.scalars.count
          && Array(message.scalars[start..<end]) == word.scalars
          && (word.isOpenBefore || message.isBoundary(before: start))
          && (word.isOpenAfter || message.isBoundary(before: end))
      }
    }
  }
}
