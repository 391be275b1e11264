import LinkPreview
import Testing

@Suite("Link finder")
struct LinkFinderTests {
  @Test(
    "the first link of a text is found, without the surrounding punctuation",
    arguments: [
      ("https://a.b/c", "https://a.b/c"),
      ("see HTTPS://Example.com now", "https://example.com/"),
      ("see http://localhost:8080/x", "http://localhost:8080/x"),
      ("(https://example.com/a_(b))", "https://example.com/a_(b)"),
      ("(see https://example.com/a).", "https://example.com/a"),
      ("[https://example.com]", "https://example.com/"),
      ("<https://example.com/x>y", "https://example.com/x"),
      ("\"https://example.com/x\"", "https://example.com/x"),
      ("https://example.com/x?a=1&b=2, and", "https://example.com/x?a=1&b=2"),
      ("https://example.com/x!?", "https://example.com/x"),
      ("https://example.com...", "https://example.com/"),
      ("*https://example.com/x*", "https://example.com/x"),
      ("https://ko.wikipedia.org/wiki/서울", "https://ko.wikipedia.org/wiki/%EC%84%9C%EC%9A%B8"),
      ("「https://example.com/あ」です", "https://example.com/%E3%81%82"),
      ("여기https://example.com입니다", "https://example.com/"),
      ("https://[::1]:8080/x", "https://[::1]:8080/x"),
      ("sendbird.com", "http://sendbird.com/"),
      ("see sendbird.com.", "http://sendbird.com/"),
      ("Try Sendbird.com, ok", "http://sendbird.com/"),
      ("www.a.co.uk/x?y", "http://www.a.co.uk/x?y"),
      ("example.com:8080/x", "http://example.com:8080/x"),
      ("example.com?x=1", "http://example.com/?x=1"),
      ("(example.com)", "http://example.com/"),
      ("sendbird.com을 보세요", "http://sendbird.com/"),
      ("주소는sendbird.com입니다", "http://sendbird.com/"),
      ("münchen.de", "http://xn--mnchen-3ya.de/"),
      ("президент.рф", "http://xn--d1abbgf6aiiy.xn--p1ai/"),
      ("日本語.jp へ", "http://xn--wgv71a119e.jp/"),
      ("xn--mnchen-3ya.de", "http://xn--mnchen-3ya.de/"),
      ("README.md then example.org", "http://example.org/"),
      ("crates.rs/x", "http://crates.rs/x"),
      ("www.docs.rs", "http://www.docs.rs/"),
      ("a@b.com or c.com", "http://c.com/"),
      ("EXAMPLE.COM", "http://example.com/"),
      ("first b.com then https://a.com", "http://b.com/"),
      ("t.co/x", "http://t.co/x"),
      ("https://user:pw@example.com/ b.com", "http://b.com/"),
      ("http:// b.com", "http://b.com/"),
    ])
  func found(text: String, expected: String) {
    let link = LinkFinder.firstLink(in: text)?.url
    #expect(link == expected)
  }

  @Test(
    "all links are found in reading order",
    arguments: [
      ("https://a.com b.com, c.com", ["https://a.com/", "http://b.com/", "http://c.com/"]),
      ("[https://a.com] b.com", ["https://a.com/", "http://b.com/"]),
      ("[x https://a.com](https://b.com) c.com", ["https://b.com/", "http://c.com/"]),
      ("[https://a.com\n\nb.com", ["https://a.com/", "http://b.com/"]),
      ("`a.com` <b.com> [c](d.com) e.com", ["http://b.com/", "http://d.com/", "http://e.com/"]),
      ("example.com和example.org", ["http://example.com/", "http://example.org/"]),
      ("none", []),
    ])
  func all(text: String, expected: [String]) {
    var finder = LinkFinder(text)
    var urls: [String] = []
    while let url = finder?.next() { urls.append(url.text) }
    #expect(urls == expected)
  }

  @Test(
    "a text without a link has none",
    arguments: [
      "", "hello", "a.b", "e.g.", "i.e. this", "1.2.3", "v1.2", "3.14", "file.txt", "README.md",
      "main.rs", "main.rs:12:5", "deploy.sh", "setup.py?", "node.js", "archive.tar.gz", "U.S.",
      "a.m.", "me@example.com", "first.last@example.com", "mailto:me@example.com",
      "git@github.com:a/b.git", "/usr/lib/foo.com", "C:\\foo.com", "//example.com",
      "ftp://example.com/x", "javascript://example.com", "http://", "https://?x", "co.uk", "com",
      ".com", "..", "...", "done.Next", "it.Is", "foo.com_bar", "obj.is()", "$foo.com", "#a.com",
      "-a-.com", "a-.com", "http", "https:", "x.local", "host.internal", "my.test",
      "http://user@example.com/", "kube-proxy.so", "1.2.3.4",
    ])
  func none(text: String) {
    #expect(LinkFinder.firstLink(in: text) == nil)
  }
}
