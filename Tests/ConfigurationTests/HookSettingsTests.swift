import ParleyProtocol
import Testing

@testable import Configuration

@Suite("Settings of hooks")
struct HookSettingsTests {
  private static let base = [
    "--hooks-url=https://a.example/?key=hush", "--hooks-secret=sixteen bytes it",
  ]

  @Test("hooks have a URL, a secret, and a policy, each for all or for one")
  func values() throws {
    let settings = try load(
      Self.base + [
        "--hooks-events=message.send,session.open,message.update",
        "--hooks-urls=message.send=http://b.example/send?x=1=2",
        "--hooks-on-failure=allow,session.open=deny",
      ])
    let hooks = settings.hooks
    #expect(hooks.url(of: .messageSend) == "http://b.example/send?x=1=2")
    #expect(hooks.url(of: .sessionOpen) == "https://a.example/?key=hush")
    #expect(hooks.policy(of: .messageSend) == .allow && hooks.policy(of: .sessionOpen) == .deny)
    #expect(HookSettings().policy(of: .messageSend) == .deny)
  }

  @Test("in a file, URLs and policies may be a group of names")
  func groups() throws {
    let settings = try load(
      file: """
        hooks:
          secret: sixteen bytes it
          events: [message.send, message.update]
          urls:
            message.send: http://a.example/send
            message.update: http://a.example/update
          on_failure: {message.send: allow}
        """)
    #expect(settings.hooks.url(of: .messageUpdate) == "http://a.example/update")
    #expect(settings.hooks.policy(of: .messageSend) == .allow)
    #expect(settings.hooks.policy(of: .messageUpdate) == .deny)
    let plain = try load(file: "hooks: {on_failure: allow}")
    #expect(plain.hooks.policy(of: .messageUpdate) == .allow)
  }

  @Test("hooks without a URL or a secret, and a URL without hooks, are refused")
  func combinations() {
    #expect(problems(["--hooks-events=message.send"]).count == 2)
    #expect(problems(Self.base).map { $0.prefix(12) } == ["hooks.events"])
    #expect(problems(Self.base + ["--hooks-events=message.delete"]).count == 1)
    #expect(problems(["--auth-mode=hook"]).map { $0.prefix(12) } == ["hooks.events"])
    #expect(problems(Self.base + ["--hooks-events=session.open", "--auth-mode=hook"]).isEmpty)
    for wrong in [
      "--hooks-on-failure=maybe", "--hooks-on-failure=message.delete=allow",
      "--hooks-urls=message.send", "--hooks-urls=message.send=ftp://a.example/",
      "--hooks-timeout-ms=5001", "--hooks-session-cache-seconds=301", "--hooks-secret=short",
    ] {
      #expect(problems([wrong]).count == 1, "\(wrong)")
    }
  }
}
