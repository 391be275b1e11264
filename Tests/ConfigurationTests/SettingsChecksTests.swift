import Basics
import ParleyProtocol
import Testing

@testable import Configuration

@Suite("Combinations of settings")
struct SettingsChecksTests {
  @Test("listening with TLS requires a certificate and its key")
  func tls() throws {
    #expect(
      problems(["--tls-listen", "127.0.0.1:8443"]) == [
        "tls.certificate: expected a PEM file, because tls.listen is set (combination of settings)",
        "tls.private_key: expected a PEM file, because tls.listen is set (combination of settings)",
      ])
    let settings = try load([
      "--tls-listen=127.0.0.1:8443", "--tls-certificate=a.pem", "--tls-private-key=b.pem",
    ])
    #expect(settings.tls.listen.map(\.port) == [8443])
    #expect(settings.tls.certificate == "a.pem")
    #expect(settings.tls.privateKey == "b.pem")
  }

  @Test("a certificate requires its key, and a key its certificate")
  func pairs() {
    #expect(problems(["--tls-certificate=a.pem"]).count == 1)
    #expect(problems(["--tls-private-key=a.pem"]).count == 1)
  }

  @Test("a super group has room for as many members as another group")
  func superGroups() throws {
    #expect(
      problems(["--groups-max-super-members=99"]) == [
        "groups.max_super_members: expected at least groups.max_members (combination of settings)"
      ])
    let settings = try load(["--groups-max-super-members=99", "--groups-max-members=99"])
    #expect(settings.groups.maxMembers == 99 && settings.groups.maxSuperMembers == 99)
    #expect(problems(["--groups-max-super-members=100001"]).count == 1)
  }

  @Test("a header field with client addresses requires the networks trusted to set it")
  func proxies() throws {
    #expect(
      problems(["--proxy-field=x-forwarded-for"]) == [
        "proxy.trusted: expected the proxies' networks, because proxy.field is set: anyone can"
          + " send it (combination of settings)"
      ])
    let settings = try load(["--proxy-field=Forwarded", "--proxy-trusted=10.0.0.0/8,::1"])
    #expect(settings.proxy.field == .forwarded)
    #expect(settings.proxy.trusted.map(\.description) == ["10.0.0.0/8", "::1/128"])
  }

  @Test("behind a proxy users need tokens, even if every listener is loopback")
  func exposure() throws {
    #expect(try load().auth.mode == .open)
    #expect(try load(["--proxy-listen=127.0.0.1:0"]).auth.mode == .token)
    #expect(
      try load(["--proxy-field=forwarded", "--proxy-trusted=127.0.0.1"]).auth.mode == .token)
    #expect(try load(["--proxy-listen=127.0.0.1:0", "--auth-mode=open"]).auth.mode == .open)
  }

  @Test("a server may listen only for proxies")
  func proxiesAlone() throws {
    let settings = try load(["--listen=", "--proxy-listen=127.0.0.1:8081"])
    #expect(settings.proxy.listen.map(\.port) == [8081])
    #expect(problems(["--proxy-listen=127.0.0.1:8080"]).count == 1)
  }

  @Test("previews from a service require the service's URL")
  func unfurl() throws {
    #expect(
      problems(["--unfurl-mode=http"]) == [
        "unfurl.url: expected the service's URL, because unfurl.mode is http"
          + " (combination of settings)"
      ])
    let settings = try load(["--unfurl-mode=http", "--unfurl-url=http://127.0.0.1:9000/unfurl"])
    #expect(settings.unfurl.url == "http://127.0.0.1:9000/unfurl")
  }

  @Test("pictures from this server require a base URL, and pages that it fetches itself")
  func pictures() throws {
    #expect(
      problems(["--unfurl-images=proxy"]) == [
        "files.public_url: expected the base URL of the pictures' addresses, because unfurl.images"
          + " is proxy (combination of settings)"
      ])
    let base = ["--unfurl-images=proxy", "--files-public-url=https://chat.example"]
    #expect(try load(base).unfurl.images == .proxy)
    #expect(problems(base + ["--unfurl-mode=http", "--unfurl-url=http://a.example"]).count == 1)
    #expect(try load(["--unfurl-images=proxy", "--unfurl-mode=off"]).unfurl.mode == .off)
  }

  @Test("combinations are checked along with other problems, but not with a refused setting")
  func besideOthers() {
    #expect(problems(["--reactors=0", "--unfurl-mode=http"]).count == 2)
    #expect(problems(["--unfurl-url=nowhere", "--unfurl-mode=http"]).count == 1)
  }

  @Test("a webhook requires a secret of 16 bytes, and no credentials in its URL")
  func webhooks() throws {
    #expect(
      problems(["--webhooks-urls=https://a.example/"]) == [
        "webhooks.secret: expected a secret to sign with, because webhooks.urls is set "
          + "(combination of settings)"
      ])
    let short = problems(["--webhooks-secret=fifteen bytes !"])
    #expect(short.count == 1)
    #expect(short.first?.contains("fifteen") == false)
    #expect(problems(["--webhooks-urls=https://u:p@a.example/"]).count == 1)
    let settings = try load([
      "--webhooks-urls=https://a.example/?key=1,http://b.example", "--webhooks-secret",
      "sixteen bytes it", "--webhooks-events=message.received",
    ])
    #expect(settings.webhooks.urls == ["https://a.example/?key=1", "http://b.example"])
    #expect(settings.webhooks.events == [.messageReceived])
    #expect(problems(["--webhooks-events=channel.user_entered"]).count == 1)
  }

  @Test("the server must have a listener, with or without TLS")
  func listeners() throws {
    #expect(problems(["--listen="]).count == 1)
    let settings = try load([
      "--listen=", "--tls-listen=127.0.0.1:0", "--tls-certificate=a", "--tls-private-key=b",
    ])
    #expect(settings.listen.isEmpty)
  }

  @Test("one address serves one listener, but several listeners may request a free port")
  func duplicates() throws {
    #expect(
      problems(["--listen=127.0.0.1:80", "--operations-listen=127.0.0.1:80"]) == [
        "listen: expected 127.0.0.1:80 for one listener only (combination of settings)"
      ])
    #expect(try load(["--listen=127.0.0.1:0,127.0.0.1:0"]).listen.count == 2)
  }
}
