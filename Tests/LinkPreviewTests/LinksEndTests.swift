import LinkPreview
import TestSupport
import Testing

@Suite("Ends of links")
struct LinksEndTests {
  @Test(
    "punctuation of the sentence is excluded",
    arguments: [
      ("https://a.com/x.", "https://a.com/x"),
      ("\"https://a.com\"", "https://a.com/"),
      ("'https://a.com/x'", "https://a.com/x"),
      ("'https://a.com/x','https://b.com'", "https://a.com/x"),
      ("“https://a.com/x”", "https://a.com/x"),
      ("https://a.com/?q=1!", "https://a.com/?q=1"),
      ("«https://a.com»", "https://a.com/"),
      ("「https://a.com/x」", "https://a.com/x"),
      ("https://a.com/…", "https://a.com/"),
      ("https://a.com、", "https://a.com/"),
      ("https://a.com。", "https://a.com/"),
      ("https://a.com,https://b.com", "https://a.com/"),
      ("https://a.com;", "https://a.com/"),
      ("https://a.com/x;", "https://a.com/x"),
      ("https://a.com/'s", "https://a.com/"),
      ("https://a.com/x’s", "https://a.com/x"),
      ("https://a.com/x?!?", "https://a.com/x"),
      ("https://a.com/x...", "https://a.com/x"),
      ("https://a.com-", "https://a.com/"),
      ("https://a.com: see", "https://a.com/"),
      ("https://a.com:see", "https://a.com/"),
      ("https://sendbird.com.Then", "https://sendbird.com/"),
      ("https://a.com/x`", "https://a.com/x"),
    ])
  func punctuation(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "carets, and bars between query values, do not end a link",
    arguments: [
      ("https://a.com/x^2", "https://a.com/x%5E2"),
      ("https://a.com/x^", "https://a.com/x"),
      ("https://a.com/?titles=A|B|C.", "https://a.com/?titles=A|B|C"),
      ("||https://a.com/?a=b||", "https://a.com/?a=b"),
      ("|https://a.com/x|next|", "https://a.com/x"),
      ("<https://a.com/?a=b|label>", "https://a.com/?a=b"),
    ])
  func separators(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "emphasis marks are excluded if the emphasis begins before the link",
    arguments: [
      ("https://x.com/jane_ is nice", "https://x.com/jane_"),
      ("https://x.com/jane_", "https://x.com/jane_"),
      ("https://a.com/~", "https://a.com/~"),
      ("https://a.com/x*.", "https://a.com/x*"),
      ("x.com/jane__", "http://x.com/jane__"),
      ("_https://x.com/jane_", "https://x.com/jane"),
      ("__https://x.com/jane__!", "https://x.com/jane"),
      ("*see https://a.com/x*", "https://a.com/x"),
      ("**see: https://a.com/x.** ok", "https://a.com/x"),
      ("**_https://a.com/x_**", "https://a.com/x"),
      ("(*https://a.com/x*)", "https://a.com/x"),
      ("~~https://a.com/x~~", "https://a.com/x"),
      ("*https://x.com/jane_*", "https://x.com/jane_"),
      ("*bold* https://a.com/x*", "https://a.com/x*"),
      ("* https://x.com/jane_*", "https://x.com/jane_*"),
      ("2*3 https://a.com/x*", "https://a.com/x*"),
      ("\\*https://a.com/x*", "https://a.com/x*"),
      ("*open\nhttps://a.com/x*", "https://a.com/x*"),
    ])
  func emphasis(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test("a long run of marks is scanned once", .patientTimeLimit(minutes: 1))
  func longEmphasis() {
    let marks = String(repeating: "*", count: 50_000)
    #expect(linkFound(in: "\(marks)https://a.com/x\(marks)") == "https://a.com/x")
  }

  @Test(
    "brackets opened inside the link are kept",
    arguments: [
      (
        "(see https://en.wikipedia.org/wiki/Swift_(bird))",
        "https://en.wikipedia.org/wiki/Swift_(bird)"
      ),
      ("(see https://a.com/x).", "https://a.com/x"),
      ("https://a.com/x_(y)_(z)", "https://a.com/x_(y)_(z)"),
      ("https://a.com/x_(y).", "https://a.com/x_(y)"),
      ("https://a.com/)**", "https://a.com/"),
      ("https://a.com(see below)", "https://a.com/"),
      ("https://a.com/x(", "https://a.com/x"),
      ("[https://a.com/x]", "https://a.com/x"),
      ("{https://a.com/x}", "https://a.com/x"),
      ("(https://a.com)(https://b.com)", "https://a.com/"),
      ("((https://a.com/((x))))", "https://a.com/((x))"),
      ("https://a.com/x[1]", "https://a.com/x[1]"),
      ("https://a.com/users/{id}/posts", "https://a.com/users/%7Bid%7D/posts"),
      ("{url: https://a.com/?f={x:1}}", "https://a.com/?f={x:1}"),
      ("https://a.com/{", "https://a.com/"),
    ])
  func brackets(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "a character reference at the end is excluded, one inside is kept",
    arguments: [
      ("https://a.com/?q=1&amp;", "https://a.com/?q=1"),
      ("https://a.com/x&gt;", "https://a.com/x"),
      ("https://a.com/x&quot;&#41;.", "https://a.com/x"),
      ("https://a.com/?a=1&amp;b=2", "https://a.com/?a=1&amp;b=2"),
      ("https://a.com/x;y", "https://a.com/x;y"),
      ("https://a.com/?a&b;", "https://a.com/?a"),
    ])
  func references(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }
}
