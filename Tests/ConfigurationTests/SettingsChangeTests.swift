import Testing

@testable import Configuration

@Suite("The difference between settings")
struct SettingsChangeTests {
  /// The change from one file to another.
  private func change(_ old: String, _ new: String) throws -> SettingsChange {
    try SettingsChange(from: load(file: old), to: load(file: new), of: .gateway)
  }

  private func texts(_ entries: [SettingsChange.Entry]) -> [String] {
    entries.map { "\($0.name): \($0.description)" }
  }

  @Test("equal settings have no difference, however they are written")
  func none() throws {
    let change = try change("{log.level: INFO}", "{log: {level: info}, reactors: 4}")
    #expect(change.isEmpty)
    #expect(change.settings == (try load()))
  }

  @Test("changeable settings apply, others wait for a restart; lists and missing values are shown")
  func parts() throws {
    let change = try change(
      "{log.level: info, listen: '127.0.0.1:1'}",
      """
      {log.level: debug, listen: '127.0.0.1:2', limits.channels_per_user: 7,
        auth.allowed_origins: ['https://a.example', 'https://b.example']}
      """)
    #expect(
      texts(change.adopted) == [
        "limits.channels_per_user: 10 -> 7",
        "auth.allowed_origins: none -> https://a.example,https://b.example",
        "log.level: info -> debug",
      ])
    #expect(texts(change.postponed) == ["listen: 127.0.0.1:1 -> 127.0.0.1:2"])
    #expect(change.settings.log.level == .debug && change.settings.limits.channelsPerUser == 7)
    #expect(change.settings.listen == [.loopback(port: 1)])
  }

  @Test("for secrets and URL queries, only the fact of a change is shown")
  func secrets() throws {
    let hook = "webhooks.urls: 'https://a.example/?key=hush"
    let change = try change(
      "{auth.jwt_secret: hush-one, webhooks.secret: hush-hush-hush-1, \(hook)1'}",
      "{auth.jwt_secret: hush-two, webhooks.secret: hush-hush-hush-2, \(hook)2'}")
    #expect(
      texts(change.adopted) == [
        "auth.jwt_secret: another value", "webhooks.secret: another value",
      ])
    #expect(texts(change.postponed) == ["webhooks.urls: another value"])
    let first = try self.change("", "{auth.jwt_secret: hush-one}")
    #expect(texts(first.adopted) == ["auth.jwt_secret: none -> (secret)"])
  }

  @Test("a long value is truncated")
  func long() throws {
    let origins = (0..<100).map { "https://\($0).example" }.joined(separator: ",")
    let text = texts(try change("", "{auth.allowed_origins: '\(origins)'}").adopted).joined()
    #expect(text.count < 400 && text.hasSuffix("…"))
  }

  @Test("a change that needs a restart-only change to be valid is refused, with all the others")
  func torn() throws {
    let old = "{webhooks.urls: 'https://a.example/', webhooks.secret: hush-hush-hush-1}"
    let error = #expect(throws: SettingsError.self) { try change(old, "{log.level: debug}") }
    let problems = error?.problems ?? []
    #expect(problems.map(\.setting) == ["webhooks.secret"])
    #expect(
      problems.first?.explanation.hasSuffix("restart to change it together with webhooks.urls")
        == true)
  }

  @Test("every setting is compared and copied individually", arguments: Program.allCases)
  func complete(program: Program) throws {
    for definition in program.table.all {
      guard let word = Self.others[definition.name] ?? Self.number(unlike: definition) else {
        Issue.record("no other value of \(definition.name)")
        continue
      }
      let old = program.table.defaults
      var new = old
      try definition.store(&new, [word])
      let differing = program.table.all.filter { $0.differs(old, new) }.map(\.name)
      #expect(differing == [definition.name])
      var copy = old
      definition.copy(new, &copy)
      #expect(copy == new)
    }
  }

  /// A value that is not the default of a setting that takes numbers or a toggle.
  private static func number(unlike definition: SettingDefinition) -> String? {
    let candidates = ["true", "false", "128", "1048577", "134217729", "1000", "2", "3"]
    var settings = Settings()
    return candidates.first { word in
      settings = Settings()
      do {
        try definition.store(&settings, [word])
        return definition.differs(Settings(), settings)
      } catch {
        return false
      }
    }
  }

  /// Values of settings that take texts.
  private static let others: [String: String] = [
    "auth.jwks": "issuer=a url=https://a.example/", "auth.jwks_url": "https://a.example/",
    "listen": "127.0.0.1:1", "tls.listen": "127.0.0.1:1", "operations.listen": "127.0.0.1:1",
    "proxy.listen": "127.0.0.1:1", "dashboard.mode": "off", "proxy.field": "forwarded",
    "proxy.trusted": "10.0.0.0/8", "auth.mode": "token", "auth.allowed_origins": "*",
    "unfurl.mode": "off", "unfurl.url": "http://a.example/", "unfurl.images": "proxy",
    "unfurl.allow_addresses": "10.0.0.0/8", "unfurl.allow_ports": "8000",
    "unfurl.allow_domains": "a.example", "unfurl.deny_domains": "a.example",
    "unfurl.proxy": "http://a.example/", "thumbnails.mode": "off",
    "thumbnails.sandbox": "required", "translation.mode": "google",
    "translation.url": "http://a.example/", "translation.source": "en",
    "webhooks.urls": "http://a.example/", "webhooks.secret": "hush-hush-hush-1",
    "store.retention": "*=1", "search.mode": "off", "webhooks.events": "channel.created",
    "hooks.url": "http://a.example/",
    "hooks.urls": "message.send=http://a.example/", "hooks.events": "message.send",
    "hooks.secret": "hush-hush-hush-1", "hooks.on_failure": "allow",
    "store.url": "postgresql://a.example/parley",
    "cluster.bus": "postgresql", "cluster.secret": "hush-hush-hush-1", "files.store": "s3://bucket",
    "files.public_url": "http://a.example/", "files.encryption": "on", "fan_out.io_uring": "off",
    "streams.mode": "off",
    "log.level": "error", "log.format": "json", "groups.invite_by": "operators",
    "push.subject": "mailto:push@a.example", "push.apns.url": "https://a.example",
    "push.fcm.url": "https://a.example", "push.fcm_style": "data",
    "push.allow_addresses": "10.0.0.0/8", "push.allow_ports": "8000",
    "push.url": "http://a.example/", "push.url_types": "huawei", "push.secret": "hush-hush-hush-1",
  ]
}
