import TestSupport
import Testing

@testable import Search

@Suite("Search queries", .onOwnThreads)
struct SearchQueryTests {
  @Test(
    "queries find texts",
    arguments: [
      ("throttl", "Smart throttling"), ("SMART throttl", "throttling is smart"),
      ("\"smart throttling\"", "why smart, throttling?"), ("\"smart thr", "smart throttling"),
      ("cafe", "Café"), ("ｗｉｄｅ", "wide"), ("乐", "新年快乐"), ("快", "新年快乐"), ("年快", "新年快乐"),
      ("新年快乐", "祝你新年快乐！"), ("สวัส", "สวัสดีครับ"), ("👍", "great 👍🏽"), ("👍 great", "great 👍"),
      ("iPhone手机", "手机 iphone"), ("\"手机 iphone\"", "新手机iPhone"), ("NEAR", "near or far"),
      ("a*b", "a big b"), ("text:word", "a text with a word"), ("\u{201C}a b\u{201D}", "A B"),
      ("a -b", "a b"), ("x & y | !z", "x y z"), ("\"\"one", "one"),
    ])
  func finds(_ query: String, _ text: String) {
    #expect(SearchQuery(query).matches(SearchedText(text: text)))
  }

  @Test(
    "queries do not find other texts",
    arguments: [
      ("smart t x", "smart text"), ("thrott smart", "throttling smart"),
      ("\"throttl\"", "throttling"),
      ("\"smart throttling\"", "throttling smart"), ("乐快", "新年快乐"), ("年乐", "新年快乐"), ("?!", "?!"),
      ("", "a"), ("\"", "\""), ("👍", "👎"), ("\"新年 a\"", "新年快乐 a"), ("rottling", "throttling"),
    ])
  func ignores(_ query: String, _ text: String) {
    #expect(!SearchQuery(query).matches(SearchedText(text: text)))
  }

  @Test("an exact query is one phrase of whole words")
  func exact() {
    let query = SearchQuery("hello \"wor", isExact: true)
    #expect(!query.matches(SearchedText(text: "hello world")))
    #expect(query.matches(SearchedText(text: "oh, hello wor!")))
    #expect(SearchQuery("...", isExact: true).isEmpty)
  }

  @Test("names of files are found, but no phrase across text and name")
  func files() {
    let text = SearchedText(text: "the report", fileName: "final.pdf")
    #expect(SearchQuery("report pdf").matches(text))
    #expect(!SearchQuery("\"report final\"").matches(text))
  }

  @Test("a message that matches has all tokens that are looked up")
  func tokensFollow() {
    let alphabet = Array("ab cd\"é手机快乐ｄ👍🏽\u{200D}\u{301} กิ한.")
    var numbers = SystemRandomNumberGenerator()
    func text(_ limit: Int) -> String {
      String(
        (0..<Int.random(in: 0...limit, using: &numbers)).map { _ in alphabet.randomElement()! })
    }
    for _ in 0..<3_000 {
      let (text, words) = (text(24), text(6))
      let (searched, query) = (SearchedText(text: text), SearchQuery(words))
      guard query.matches(searched) else { continue }
      for term in query.indexTerms {
        let isThere = searched.tokens.contains {
          term.isPrefix ? $0.utf8.starts(with: term.token.utf8) : $0 == term.token
        }
        #expect(isThere, "\(term) of \(words) is not in \(text)")
      }
      #expect(query.score(searched) > 0)
    }
  }

  @Test("expressions quote every token")
  func expressions() {
    let terms = SearchQuery("NEAR(a b) 乐 x").indexTerms
    #expect(
      terms.fullTextExpression(in: [.open])
        == "\"near\" AND \"a\" AND \"b\" AND \"乐\" * AND \"x\" * AND (\"\u{E001}\")")
    #expect(
      terms.textSearchExpression(in: [.channel(35), .channel(36)])
        == "'near' & 'a' & 'b' & '乐':* & 'x':* & ('\u{E000}z' | '\u{E000}10')")
  }

  @Test("more and whole occurrences in shorter texts score higher")
  func scores() {
    let query = SearchQuery("cat")
    func score(_ text: String) -> Double { query.score(SearchedText(text: text)) }
    #expect(score("cat") > score("the cat sat on the mat"))
    #expect(score("cat cat dog") > score("cat dog dog"))
    #expect(score("cat") > score("cats"))
    #expect(score("dog") == 0)
  }
}
