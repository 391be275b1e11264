import LinkPreview
import Testing

@Suite("URLs")
struct WebURLTests {
  @Test(
    "a link is normalized",
    arguments: [
      ("HTTP://Example.COM", "http://example.com/"),
      ("https://example.com:443/a?b#c", "https://example.com/a?b"),
      ("http://example.com:8080/", "http://example.com:8080/"),
      ("http://example.com:/x", "http://example.com/x"),
      ("https://example.com/a/./b/../c", "https://example.com/a/c"),
      ("https://example.com/a/%2E%2e/c/..", "https://example.com/"),
      ("https://example.com/../../x", "https://example.com/x"),
      ("https://example.com/ü?ü", "https://example.com/%C3%BC?%C3%BC"),
      ("https://example.com/a b", "https://example.com/a%20b"),
      ("https://example.com/%7Ea", "https://example.com/%7Ea"),
      ("https://münchen.de/", "https://xn--mnchen-3ya.de/"),
      ("https://한국.kr/", "https://xn--3e0b707e.kr/"),
      ("https://EXAMPLE.com./", "https://example.com/"),
      ("https:example.com/", "https://example.com/"),
      ("http://[::1]:80/", "http://[::1]/"),
      ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
      ("http://0x7f.1/", "http://127.0.0.1/"),
      ("http://2130706433/", "http://127.0.0.1/"),
      ("http://0177.0.0.01/", "http://127.0.0.1/"),
      ("http://127.1/", "http://127.0.0.1/"),
      ("http://１２７.０.０.１/", "http://127.0.0.1/"),
      ("http://127.0.0.1./", "http://127.0.0.1/"),
      ("http://%31%32%37.0.0.1/", "http://127.0.0.1/"),
      ("http://ex%61mple.com/", "http://example.com/"),
      ("http://a_b.example.com/", "http://a_b.example.com/"),
    ])
  func normalised(text: String, expected: String) {
    #expect(Link(text)?.url == expected)
  }

  @Test(
    "anything but a plain web address is not a link",
    arguments: [
      "", "example.com", "/a", "ftp://example.com/", "javascript:alert(1)", "file:///etc/passwd",
      "data:text/html,x", "gopher://a.b/", "http://", "http:///", "http://user@example.com/",
      "http://user:pw@example.com/", "http://good.com@evil.com/", "http://example.com\\@evil.com/",
      "http:\\\\example.com\\", "http://exa\u{0}mple.com/", "http://example.com/\r\nHost: x",
      "http://example.com/\u{7f}", "http://example.com:0/", "http://example.com:65536/",
      "http://example.com:8a/", "http://[::1/", "http://[fe80::1%25eth0]/", "http://[::1]x/",
      "http://256.1.1.1/", "http://1.2.3.4.5/", "http://1.2.3.0x100/", "http://999999999999/",
      "http://a..b/", "http://.a.b/", "http://exa mple.com/", "http://a<b/", "http://%00/",
      "http://%zz/", "http://a%2fb/",
      "http://" + String(repeating: "a", count: 64) + ".com/",
      "http://" + String(repeating: "a.", count: 130) + "com/",
      "http://example.com/" + String(repeating: "a", count: 2_048),
      "http://example.com/" + String(repeating: "ü", count: 400),
    ])
  func refused(text: String) {
    #expect(Link(text) == nil)
  }

  @Test(
    "a reference is resolved as in RFC 3986 §5.4",
    arguments: [
      ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"),
      ("/g", "http://a/g"), ("//g", "http://g/"), ("?y", "http://a/b/c/d;p?y"),
      ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
      ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"),
      ("", "http://a/b/c/d;p?q"), (".", "http://a/b/c/"), ("./", "http://a/b/c/"),
      ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
      ("../..", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
      ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."),
      ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
      ("http:g", "http://a/b/c/g"), ("https:g", "https://g/"), (" g\t\n", "http://a/b/c/g"),
      ("\\\\g\\x", "http://g/x"), ("https:\\/\\/h\\/i", "https://h//i"),
    ])
  func resolution(reference: String, expected: String) throws {
    let base = try #require(WebURL("http://a/b/c/d;p?q"))
    #expect(WebURL(reference, relativeTo: base)?.text == expected)
  }

  @Test("a reference keeps the port of its base")
  func port() throws {
    let base = try #require(WebURL("http://a:8080/b"))
    #expect(WebURL("/c", relativeTo: base)?.text == "http://a:8080/c")
    #expect(WebURL("//c", relativeTo: base)?.text == "http://c/")
  }

  @Test(
    "a site is the registrable domain, an IPv4 address, or the /64 of an IPv6 address",
    arguments: [
      ("http://a.evil.com/", "evil.com"), ("https://b.c.evil.com:8443/x", "evil.com"),
      ("http://evil.com/", "evil.com"), ("http://a.b.co.uk/", "b.co.uk"),
      ("http://co.uk/", "co.uk"),
      ("http://intranet/", "intranet"), ("http://8.8.4.4/", "8.8.4.4"),
      ("http://0x08080404/", "8.8.4.4"), ("http://[2600:1:2:3:4:5:6:7]/", "[2600:1:2:3::]/64"),
      ("http://[2600:1:2:3::]/", "[2600:1:2:3::]/64"),
    ])
  func site(text: String, expected: String) throws {
    #expect(try #require(WebURL(text)).siteKey == expected)
  }
}
