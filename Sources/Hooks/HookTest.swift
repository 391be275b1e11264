package import ParleyProtocol
import Synchronization

/// The outcome of a test request.
package struct HookTestResult: Sendable {
  package let hook: HookName
  package let url: String
  /// The time until the answer.
  package let milliseconds: Int64
  /// Whether the answer allows the call; `nil` without a valid answer.
  package let isAllowed: Bool?
  /// The reason why there is no valid answer; empty if there is one.
  package let problem: String

  init(
    hook: HookName, url: String, milliseconds: Int64, answer: Result<HookAnswer, HookProblem>?
  ) {
    self.hook = hook
    self.url = url
    self.milliseconds = milliseconds
    switch answer {
    case .success(.allowed): (isAllowed, problem) = (true, "")
    case .success(.denied): (isAllowed, problem) = (false, "")
    case .failure(let found): (isAllowed, problem) = (nil, found.description)
    case nil: (isAllowed, problem) = (nil, "not asked: the circuit is open, or too many calls wait")
    }
  }
}

/// Collects the results of several tests, in any order.
final class SharedResults: Sendable {
  private let results: Mutex<[HookName: HookTestResult]>
  private let expected: Int

  init(expected: Int) {
    results = Mutex([:])
    self.expected = expected
  }

  /// - Returns: All results with the last one; `nil` before.
  func add(_ result: HookTestResult) -> [HookName: HookTestResult]? {
    results.withLock { results in
      results[result.hook] = result
      return results.count == expected ? results : nil
    }
  }
}
