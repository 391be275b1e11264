import LinkPreview
import TestSupport
import Testing

@Suite("Link finder properties")
struct LinksPropertyTests {
  private static let pieces = [
    "`", "``", "```", "\n", "\n\n", "\n```", "~~~", "\n~~~\n", "[", "]", "](", "(", ")", "<", ">",
    "|", "\\", "!", " ", " ", ".", ":", "@", "\"", "'", "&amp;", "。", "입니다", "ü", "x", "a.com",
    "https://b.com/x", "http://", "c.kr", "ftp://", "mailto:", "README.md", "/", "?", "#", "_",
    "*", "和", "☆", "（", "）", "’", "Www.A.Com/x", "[x](https://d.com)", "<e.com>", ";", "🔥",
    "\u{200d}", "1", "://", "\u{ad}", "\u{200b}", "·", "l·l.cat", "①", "1️⃣", "∞",
  ]

  private func randomText(_ random: inout SeededGenerator) -> String {
    (0..<Int.random(in: 1...16, using: &random)).map { _ in
      Self.pieces.randomElement(using: &random) ?? ""
    }.joined()
  }

  @Test(
    "a found link is normalized, and is found again on its own",
    arguments: 1...4 as ClosedRange<UInt64>)
  func normalForm(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let text = randomText(&random)
      guard let url = LinkFinder.firstURL(in: text) else { continue }
      #expect(WebURL(url.text) == url, "seed \(seed): \(text.debugDescription)")
      // Between angle brackets a bar begins a label.
      guard !url.text.contains("|") else { continue }
      #expect(LinkFinder.firstURL(in: "<\(url.text)>") == url, "seed \(seed): \(text)")
    }
  }

  @Test(
    "neither text after a space nor a preceding paragraph changes the link",
    arguments: 1...4 as ClosedRange<UInt64>)
  func surroundings(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<2_000 {
      let text = randomText(&random)
      let url = LinkFinder.firstURL(in: text)
      let comment: Comment = "seed \(seed): \(text.debugDescription)"
      #expect(LinkFinder.firstURL(in: text + " and so on") == url, comment)
      #expect(LinkFinder.firstURL(in: "well, 3.14\n\n" + text) == url, comment)
    }
  }

  @Test("a URL between words is found", arguments: 1...4 as ClosedRange<UInt64>)
  func betweenWords(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let words = [
      "see", "e.g.", "v1.2", "(well)", "3.14,", "README.md", "me@example.com", "`code.com`", "[x]",
      "안녕하세요", "done.Next", "*", "--", "it's", "\\", "a/b", "#1", "$5", ":)", "…", "<b>",
    ]
    let urls = [
      "https://a.com/x", "http://b.co.kr:8080/y?z=1", "c.com/d#e", "https://f.com/g_(h)",
      "www.i.de", "http://localhost:3000/j",
    ]
    for _ in 0..<500 {
      let before = (0..<5).compactMap { _ in words.randomElement(using: &random) }
      let after = (0..<5).compactMap { _ in words.randomElement(using: &random) }
      let url = urls.randomElement(using: &random) ?? ""
      let text = (before + [url] + after).joined(separator: " ")
      let expected = WebURL(url) ?? WebURL("http://" + url)
      #expect(LinkFinder.firstURL(in: text) == expected, "seed \(seed): \(text)")
    }
  }

  @Test("a text of only opening markers is scanned in linear time", .patientTimeLimit(minutes: 1))
  func hostile() {
    let pieces =
      Self.pieces + [
        "[](", "[](<", "[](a \"", "[](a '", "[](a (", "[](()", "\\`", "\\``", "<a|", "![", "a.",
        "a.b ", "main.rs:", "main.rs,", "a.com:0:", "a@b.com ", "https://[", "&a", "\n ", "한.",
        "a.com(", "https://a.com\\", "*_", "`\n", "a.md和", "-a.com和", "x☆", "あ☆", "あ（", "（あ）",
        "_https://a.com/x_ ", "a.com。", "’s", "]:", "[a]: ", "~/", "x.한", "https://a^",
        "あ-.ac和", "a∞", "https://a∞b.", "l·",
      ]
    for piece in pieces {
      _ = LinkFinder.firstURL(in: String(repeating: piece, count: 5_000))
      _ = LinkFinder.firstURL(in: "a.b " + String(repeating: piece, count: 5_000))
    }
    let runs = (1...100).map { String(repeating: "`", count: $0) + "a.b" }
    _ = LinkFinder.firstURL(in: runs.joined() + String(repeating: "x", count: 20_000))
    let brackets = String(repeating: "(", count: 50_000) + String(repeating: ")", count: 50_000)
    _ = LinkFinder.firstURL(in: "https://a.com/" + brackets)
    _ = LinkFinder.firstURL(in: String(repeating: "[", count: 50_000) + "a.com")
    // Each letter of the other script might end a name, and each name is expensive to read.
    let ends = String(repeating: "ｱa", count: 125)
    for name in ["x." + ends, String(repeating: "あ-.ac和", count: 42)] {
      _ = LinkFinder.firstURL(in: String(repeating: name + " ", count: 1_000))
    }
  }

  @Test("the search ends after 64 candidates, whether they are links or not")
  func candidates() {
    var finder = LinkFinder(String(repeating: "https://a.com ", count: 100))
    var count = 0
    while finder?.next() != nil { count += 1 }
    #expect(count == 64)
    let refused = String(repeating: "https://a@b.com ", count: 63)
    #expect(linkFound(in: refused + "https://c.com") == "https://c.com/")
    #expect(linkFound(in: refused + "https://a@b.com https://c.com") == "-")
  }
}
