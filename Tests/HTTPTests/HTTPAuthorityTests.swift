import Basics
import HTTP
import Testing

@Suite("HTTP authority")
struct HTTPAuthorityTests {
  @Test(
    "a host may have a port or not",
    arguments: [
      ("Example.COM", HTTPAuthority(host: .name("example.com"))),
      ("example.com:80", HTTPAuthority(host: .name("example.com"), port: 80)),
      ("example.com:", HTTPAuthority(host: .name("example.com"))),
      ("127.0.0.1:8080", HTTPAuthority(host: .address(.v4(0x7f00_0001)), port: 8080)),
      ("[::1]", HTTPAuthority(host: .address(.v6(1)))),
      ("[::1]:65535", HTTPAuthority(host: .address(.v6(1)), port: 65535)),
      ("a_b.c~d:1", HTTPAuthority(host: .name("a_b.c~d"), port: 1)),
      ("a%41", HTTPAuthority(host: .name("a%41"))),
      ("", HTTPAuthority(host: .name(""))),
    ])
  func read(text: String, authority: HTTPAuthority) {
    #expect(HTTPAuthority(text) == authority)
  }

  static let malformed = [
    "[::1", "a]b", "[]", "x:port", "x:1:2", "x:-1", "%zz", "%4", "%", "[::1]x", "[::1]:x",
    "[::1]80",
    "[1.2.3.4]", "[fe80::1%25eth0]", "[v1.x]", "x:65536", "x:+1", "x: 1", "a b", "a/b", "u@h",
    "a?b",
    "a#b", "a\\b", "::1", "h\u{e9}", "a\"b", "[::1]]", "[[::1]]", "a[::1]",
  ]

  @Test("other values are malformed", arguments: malformed)
  func refuse(text: String) {
    #expect(HTTPAuthority(text) == nil)
  }

  @Test("a request with a malformed Host, or target, is refused with 400", arguments: malformed)
  func request(text: String) {
    for head in [
      "GET / HTTP/1.1\r\nHost: \(text)\r\n\r\n", "GET http://\(text)/ HTTP/1.1\r\nHost: h\r\n\r\n",
    ]
    // A target has neither blanks nor the characters that end an authority.
    where !(head.contains("http://") && text.contains(where: { " /?#".contains($0) })) {
      var parser = HTTPRequestParser()
      #expect(throws: HTTPError.self, "\(head)") { try parser.receive(Array(head.utf8).span) }
    }
  }

  @Test("names and addresses of the local machine are loopback")
  func loopback() {
    for text in [
      "localhost", "LOCALHOST:1", "localhost.", "a.b.localhost", "127.0.0.1", "127.255.0.9:80",
      "[::1]", "[::ffff:127.0.0.1]:80",
    ] {
      #expect(HTTPAuthority(text)?.isLoopback == true, "\(text)")
    }
    for text in [
      "", "localhost.evil.example", "notlocalhost", "128.0.0.1", "127.0.0.1.evil.example",
      "0x7f.0.0.1", "2130706433", "[::2]", "[::ffff:128.0.0.1]", "0.0.0.0",
    ] {
      #expect(HTTPAuthority(text)?.isLoopback == false, "\(text)")
    }
  }

  @Test("an absolute target takes precedence over Host")
  func target() {
    let fields: HTTPFields = ["Host": "b"]
    #expect(
      HTTPRequestHead(target: "http://A:1/x", fields: fields).authority
        == HTTPAuthority(host: .name("a"), port: 1))
    #expect(
      HTTPRequestHead(target: "/x", fields: fields).authority == HTTPAuthority(host: .name("b")))
    #expect(HTTPRequestHead(target: "/x", version: .http10).authority == nil)
  }
}
