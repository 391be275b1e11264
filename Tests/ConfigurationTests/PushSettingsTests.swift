import Basics
import ParleyProtocol
import Push
import Testing

@testable import Configuration

@Suite("Settings of pushes")
struct PushSettingsTests {
  private static let apns = [
    "--push-apns-key-file=key.p8", "--push-apns-key-id=ABC123DEFG",
    "--push-apns-team-id=DEF123GHIJ",
    "--push-apns-topic=com.example.chat",
  ]

  @Test("nothing is pushed unless a way is set")
  func off() throws {
    let push = try load().push
    #expect(!push.isOn && push.types.isEmpty)
    #expect(push.texts == PushTexts())
  }

  @Test("the types that can be registered follow from the ways that are set")
  func types() throws {
    #expect(try load(Self.apns).push.types == [.apns])
    #expect(try load(["--push-fcm-service-account=a.json"]).push.types == [.gcm])
    #expect(try load(["--push-web", "--push-subject=mailto:a@b.example"]).push.types == [.web])
    let own = ["--push-url=http://a.example/", "--push-secret=hush-hush-hush-1"]
    #expect(try load(own + ["--push-url-types=huawei,gcm"]).push.types == [.gcm, .huawei])
  }

  @Test("a way requires all its settings")
  func combinations() {
    for index in Self.apns.indices {
      var some = Self.apns
      let missing = some.remove(at: index)
      let found = problems(some)
      #expect(found.count == 1 && found[0].contains("is set (combination of settings)"))
      #expect(missing.contains(found[0].prefix { $0 != ":" }.split(separator: ".")[1]))
    }
    #expect(
      problems(["--push-web"]) == [
        "push.subject: expected an address of the operator, such as mailto:push@example.com,"
          + " because push.web is set (combination of settings)"
      ])
    #expect(problems(["--push-url=http://a.example/"]).count == 2)
    #expect(problems(["--push-url-types=web"]).count == 1)
    #expect(problems(["--push-allow-ports="]).count == 1)
  }

  @Test("services are reached over TLS, or on this machine")
  func urls() throws {
    for name in ["--push-apns-url", "--push-fcm-url"] {
      for url in [
        "http://a.example", "ftp://a.example", "https://u:p@a.example", "https://a.example/?x=1",
        "http://10.0.0.1", "a.example", "",
      ] {
        #expect(problems(["\(name)=\(url)"]).count == 1, "\(url)")
      }
    }
    let push = try load([
      "--push-apns-url=http://127.0.0.1:8081/", "--push-fcm-url=http://[::1]/fcm//",
    ]).push
    #expect(push.apns.url == "http://127.0.0.1:8081" && push.fcm.url == "http://[::1]/fcm")
    #expect(try load(["--push-fcm-url=http://localhost:1"]).push.fcm.url == "http://localhost:1")
  }

  @Test("the operator's address is a mail address or a page")
  func subjects() throws {
    for subject in ["a@b.example", "mailto:", "mailto:a", "mailto:a@", "http://a.example", "x"] {
      #expect(problems(["--push-subject=\(subject)"]).count == 1, "\(subject)")
    }
    #expect(
      try load(["--push-subject=https://a.example/contact"]).push.subject
        == "https://a.example/contact")
  }

  @Test("the secret is not shown")
  func secret() throws {
    #expect(
      problems(["--push-secret=too-short"]) == [
        "push.secret: expected a text of at least 16 bytes (flag --push-secret)"
      ])
    let settings = try load([
      "--push-url=http://a.example/?key=1", "--push-secret=hush-hush-hush-1",
      "--push-url-types=web",
    ])
    #expect(!"\(settings)".contains("hush"))
  }
}
