import LinkPreview
import Testing

/// The link that is found in a text, `-` when there is none.
func linkFound(in text: String) -> String { LinkFinder.firstURL(in: text)?.text ?? "-" }

@Suite("Links with a scheme")
struct LinksSchemeTests {
  @Test(
    "http and https begin a link in any case",
    arguments: [
      ("http://a.com", "http://a.com/"),
      ("HTTPS://A.COM/X", "https://a.com/X"),
      ("hTTp://a.com", "http://a.com/"),
      ("http://localhost:3000/", "http://localhost:3000/"),
      ("http://localhost", "http://localhost/"),
      ("http://intranet/wiki", "http://intranet/wiki"),
      ("http://192.0.2.7/x", "http://192.0.2.7/x"),
      ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
      ("https://a.com:8443", "https://a.com:8443/"),
      ("https://a.com./x", "https://a.com/x"),
      ("https://a_b.example.com/", "https://a_b.example.com/"),
      ("https://a.com/x#part", "https://a.com/x#part"),
      ("https://a.com?q#f", "https://a.com/?q#f"),
      ("https://a.com/x?y[]=1&z=2", "https://a.com/x?y[]=1&z=2"),
      ("https://a.com/%7Ea/~b", "https://a.com/%7Ea/~b"),
      (
        "https://web.archive.org/web/2020/https://a.com/",
        "https://web.archive.org/web/2020/https://a.com/"
      ),
      ("http://http://a.com/x", "http://a.com/x"),
    ])
  func schemes(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "a link may follow a symbol, emphasis or a word that is not part of its scheme",
    arguments: [
      ("url=https://a.com/x", "https://a.com/x"),
      ("link:https://a.com", "https://a.com/"),
      ("_https://a.com/x_", "https://a.com/x"),
      ("~https://a.com/x~", "https://a.com/x"),
      ("**https://a.com/x**", "https://a.com/x"),
      ("||https://a.com/x||", "https://a.com/x"),
      ("-https://a.com", "https://a.com/"),
      ("see.https://a.com", "https://a.com/"),
      ("여기https://a.com", "https://a.com/"),
      ("смотриhttps://a.com", "https://a.com/"),
      ("\\https://a.com", "https://a.com/"),
      ("\\<https://a.com>", "https://a.com/"),
      ("&lt;https://a.com&gt;", "https://a.com/"),
      ("|https://a.com|b|", "https://a.com/"),
      ("x\nhttps://a.com\ny", "https://a.com/"),
    ])
  func boundaries(text: String, expected: String) {
    #expect(linkFound(in: text) == expected)
  }

  @Test(
    "other schemes are not links, and hide the text after them",
    arguments: [
      "ftp://sendbird.com", "ssh://x.com", "file:///a.com", "javascript:a.com", "xhttp://a.com",
      "javascript:open('https://a.com')", "git+https://a.com", "git@github.com:a/b",
      "git@github.com:foo.com/b.com", "hxxp://a.com", "data:text/html,https://a.com",
      "mailto:jeff@sendbird.com", "mailto:a.com", "view-source:https://a.com", "tel:1.com",
      "ftp://a.com/x,b.com", "https:///a.com", "https://", "https://.", "https://?x",
      "http://://a", "ws://a.com/x",
    ])
  func otherSchemes(text: String) {
    #expect(linkFound(in: text) == "-")
  }

  @Test(
    "a URL with userinfo is not a link, and does not hide later links",
    arguments: [
      "https://user:pw@host/", "https://good.com@evil.com", "https://good.com:80@evil.com/x",
      "https://good.com\\@evil.com", "https://a:p^w@evil.com/", "https://a:p{w}@evil.com/",
      "https://user@evil.com,good.com", "good.com:pw@evil.com", "https://@evil.com",
      "https://good.com'@evil.com", "<https://good.com@evil.com>", "[x](https://a@evil.com)",
    ])
  func userinfo(text: String) {
    #expect(linkFound(in: text) == "-")
  }

  @Test("text after a refused URL is searched")
  func behindRefused() {
    #expect(linkFound(in: "https://user:pw@host/ then b.com") == "http://b.com/")
    #expect(linkFound(in: "ftp://a.com/x then https://b.com") == "https://b.com/")
    #expect(linkFound(in: "https://a.com:99999/ https://b.com") == "https://b.com/")
    #expect(linkFound(in: "jeff@a.com,b.com") == "http://b.com/")
  }

  @Test("the first link in reading order is used")
  func order() {
    #expect(linkFound(in: "a.com https://b.com") == "http://a.com/")
    #expect(linkFound(in: "https://b.com a.com") == "https://b.com/")
    #expect(linkFound(in: "see [x](https://b.com) or https://a.com") == "https://b.com/")
  }

  @Test("the page of a link excludes its fragment")
  func fragment() {
    #expect(LinkFinder.firstLink(in: "see https://a.com/x#y")?.url == "https://a.com/x")
    #expect(LinkFinder.firstURL(in: "see https://a.com/x#y")?.fragment == "y")
  }
}
