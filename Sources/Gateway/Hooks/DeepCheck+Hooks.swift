import Basics
import Configuration
import Glibc
import Hooks
import Logging
import ParleyProtocol
import Synchronization

extension DeepCheck {
  /// Sends a test request to the URL of each hook.
  func hooks() -> [SettingFinding] {
    guard let configuration = HookConfiguration(settings) else { return [] }
    let logger = Logger(label: "hooks") { _ in SwiftLogNoOpLogHandler() }
    guard let hooks = try? Hooks(configuration, logger: logger) else {
      return [wrong("hooks.events", "libcurl cannot be initialised")]
    }
    defer { hooks.shutdown() }
    let answers = HookAnswers()
    hooks.test { answers.put($0) }
    return answers.wait().map { result in
      let hook = result.hook
      let setting = settings.hooks.urls.contains { $0.hook == hook } ? "hooks.urls" : "hooks.url"
      guard result.problem.isEmpty else {
        return wrong(setting, "no valid answer about \(hook.rawValue): \(result.problem)")
      }
      return fine(setting, "\(hook.rawValue) is answered after \(result.milliseconds) ms")
    }
  }
}

/// The answers to test requests, which arrive on another thread within `hooks.timeout_ms`.
private final class HookAnswers: Sendable {
  private let answers = Mutex<[HookTestResult]?>(nil)

  func put(_ results: [HookTestResult]) { answers.withLock { $0 = results } }

  func wait() -> [HookTestResult] {
    while true {
      if let results = answers.withLock({ $0 }) { return results }
      usleep(5_000)
    }
  }
}
