import Logging
import ParleyProtocol

import Testing

@testable import Hooks

@Suite("Permissions that are kept")
struct SessionPermissionsTests {
  @Test("a permission is for one user and token, and ends")
  func ends() {
    var kept = SessionPermissions()
    let key = SessionPermissions.Key(userID: "jeff", token: "t")
    kept.keep(nil, key, until: 100)
    #expect(kept.find(key, at: 99) != nil)
    #expect(kept.find(key, at: 100) == nil)
    #expect(kept.find(SessionPermissions.Key(userID: "jeff", token: "u"), at: 0) == nil)
    #expect(kept.find(SessionPermissions.Key(userID: "ann", token: "t"), at: 0) == nil)
    kept.removeAll()
    #expect(kept.find(key, at: 0) == nil)
  }

  @Test("a limited number is kept, the newest ones among them")
  func isLimited() {
    var kept = SessionPermissions()
    for number in 0..<25_000 {
      kept.keep(nil, SessionPermissions.Key(userID: "\(number)", token: ""), until: 1)
    }
    #expect(kept.find(SessionPermissions.Key(userID: "24999", token: ""), at: 0) != nil)
    #expect(kept.find(SessionPermissions.Key(userID: "0", token: ""), at: 0) == nil)
  }
}

@Suite("Asking the app's back end")
struct HooksTests {
  @Test("without a back end, the policy of the hook decides, and outcomes are counted")
  func policies() async throws {
    var configuration = HookConfiguration(
      urls: [.messageSend: "http://127.0.0.1:1/", .groupJoin: "http://127.0.0.1:1/"],
      secret: Array("secret".utf8))
    configuration.policies = [.groupJoin: .allow]
    let hooks = try Hooks(configuration, logger: Logger(label: "test"))
    defer { hooks.shutdown() }
    func ask(_ hook: HookName) async -> HookVerdict {
      await withCheckedContinuation { continuation in
        hooks.ask(HookRequest(hook, user: nil, params: Array("{}".utf8))) {
          continuation.resume(returning: $0)
        }
      }
    }
    guard case .failed(let error?) = await ask(.messageSend) else {
      Issue.record("the call is not refused")
      return
    }
    #expect(error.code == .internalError && error.data.reason == "hook")
    #expect((1_000...5_000).contains(error.data.retryAfterMilliseconds ?? 0))
    guard case .failed(nil) = await ask(.groupJoin) else {
      Issue.record("the call is refused")
      return
    }
    for _ in 0..<5 { _ = await ask(.messageSend) }
    let state = try #require(hooks.figures.hooks[.messageSend])
    #expect(state.outcomes == [.failed: 5, .skipped: 1] && state.isCircuitOpen)
    #expect(!state.problem.isEmpty && state.lastAnswer == nil && state.lastFailure != nil)
    hooks.shutdown()
    guard case .failed(_?) = await ask(.messageSend) else {
      Issue.record("a call after the end is not refused")
      return
    }
  }
}
