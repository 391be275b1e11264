import TestSupport
import Testing

@testable import ParleyClient

@Suite("File keys", .onOwnThreads)
struct FileKeysTests {
  private func keys(of serverURL: String) -> FileKeys {
    let keys = FileKeys(serverURL: serverURL)
    keys.keep(FileKey(key: "k", expiresAt: 1))
    return keys
  }

  private func isKeyed(_ url: String, by keys: FileKeys) -> Bool {
    let shown = KeyedAddress(url, openedBy: keys).keyed
    #expect(shown == url || shown.hasSuffix("auth=k"))
    return shown.hasPrefix(url) && shown != url
  }

  @Test(
    "are added to addresses of the connected server",
    arguments: [
      ("wss://a.b", "https://a.b/files/5fe9/x"),
      ("wss://a.b", "https://a.b:443/files/5fe9/x"),
      ("wss://a.b:443/v1/ws", "https://a.b/files/5fe9/x?v=1"),
      ("wss://A.b", "HTTPS://a.B/files/5fe9/x"),
      ("ws://a.b", "http://a.b:80/files/5fe9/x"),
      ("ws://127.0.0.1:8080/v1/ws", "http://127.0.0.1:8080/chat/files/5fe9/x"),
      ("ws://[::1]:9", "http://[::1]:9/files/5fe9/x"),
    ])
  func ownServer(server: String, url: String) {
    #expect(isKeyed(url, by: keys(of: server)))
  }

  @Test(
    "are added to no other address",
    arguments: [
      "https://evil.example/files/5fe9/x", "https://a.b.evil.example/x", "https://evil.example/a.b",
      "http://a.b/files/5fe9/x", "http://a.b:443/x", "https://a.b:80/x", "https://a.b:8443/x",
      "https://a.b@evil.example/x", "https://a.b:443@evil.example/x", "https://evil.example@a.b/x",
      "https://u:p@a.b/x", "https://@a.b/x", "https://evil.example#@a.b/x",
      "https://evil.example?@a.b/x", #"https://evil.example\@a.b/x"#,
      #"https://a.b\.evil.example/x"#,
      #"https:\\a.b/x"#, "https://a.b\t.evil.example/x", "https://a.b\n/x", " https://a.b/x",
      "https://a.b%2eevil.example/x", "https://a%2eb/x", "https://a.b./x", "https://a.b:/x",
      "https://a.b。evil.example/x", "https://ａ.b/x", "//a.b/x", "https:/a.b/x", "https:a.b/x",
      "wss://a.b/x", "ftp://a.b/x", "javascript://a.b/x", "https://[a.b]x/x", "https:///a.b",
      "a.b/x",
      "",
    ])
  func otherHosts(url: String) {
    #expect(!isKeyed(url, by: keys(of: "wss://a.b")))
    let shown = KeyedAddress(url, openedBy: keys(of: "wss://a.b")).keyed
    #expect(shown == url || shown.hasPrefix("https://a.b:443/files/"))
  }

  @Test(
    "open files at the connected server whose addresses name another host",
    arguments: [
      ("wss://a.b", "https://evil.example/files/5fe9/x", "https://a.b:443/files/5fe9/x?auth=k"),
      ("wss://a.b", "http://a.b/files/5fe9/x", "https://a.b:443/files/5fe9/x?auth=k"),
      (
        "ws://127.0.0.1:8080", "http://localhost:8080/files/5fe9/t/9x9/x",
        "http://127.0.0.1:8080/files/5fe9/t/9x9/x?auth=k"
      ),
      (
        "wss://a.b/chat/v1/ws", "https://u:p@c/files/d/files/5fe9/files",
        "https://a.b:443/chat/files/5fe9/files?auth=k"
      ),
      ("wss://a.b", "https://evil.example/x", "https://evil.example/x"),
      ("wss://a.b", "https://evil.example/files/", "https://evil.example/files/"),
    ])
  func ownAddress(server: String, url: String, shown: String) {
    #expect(KeyedAddress(url, openedBy: keys(of: server)).keyed == shown)
  }

  @Test("are sent in a header field, and to the same addresses, by requests of the application")
  func requests() {
    let keys = keys(of: "wss://a.b")
    let own = KeyedAddress("https://a.b/files/5fe9/x?v=1", openedBy: keys).request
    #expect(own.url == "https://a.b/files/5fe9/x?v=1")
    #expect(own.headerFields == ["Parley-File-Key": "k"])
    let named = KeyedAddress("https://evil.example/files/5fe9/x", openedBy: keys).request
    #expect(named.url == "https://a.b:443/files/5fe9/x")
    #expect(named.headerFields == ["Parley-File-Key": "k"])
    for (url, holder) in [("https://evil.example/x", keys), ("https://a.b/files/5fe9/x", nil)] {
      let request = KeyedAddress(url, openedBy: holder).request
      #expect(request.url == url && request.headerFields.isEmpty)
    }
  }

  @Test("are added to addresses of the base that the server names, while it names it")
  func namedBase() {
    let keys = keys(of: "wss://a.b")
    let (own, named) = ("https://a.b/files/5fe9/x", "https://cdn.example/chat/files/5fe9/x")
    #expect(isKeyed(own, by: keys) && !isKeyed(named, by: keys))
    keys.trust(base: "https://CDN.example:443/chat")
    #expect(isKeyed(own, by: keys) && isKeyed(named, by: keys))
    #expect(!isKeyed("http://cdn.example/chat/files/5fe9/x", by: keys))
    #expect(!isKeyed("https://cdn.example.evil.example/x", by: keys))
    for other in ["https://u@cdn.example", "cdn.example", "", nil] {
      keys.trust(base: "https://cdn.example")
      keys.trust(base: other)
      #expect(isKeyed(own, by: keys) && !isKeyed(named, by: keys))
    }
  }
}
