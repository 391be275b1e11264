import Push

/// An operator's test of a user's devices, until all of them have an outcome.
///
/// Confined to the loop's thread.
final class PushTest {
  private var results: [PushTestResult]
  private var pendingCount: Int
  private let completion: @Sendable ([PushTestResult]) -> Void

  init(_ tokens: [PushToken], completion: @escaping @Sendable ([PushTestResult]) -> Void) {
    results = tokens.map {
      PushTestResult(type: $0.type, token: $0.suffix, result: nil, problem: "")
    }
    pendingCount = tokens.count
    self.completion = completion
    if tokens.isEmpty { completion([]) }
  }

  func add(_ step: PushStep, _ problem: String, at index: Int) {
    switch step {
    case .finished(let result, _): results[index].result = result
    // A test is not repeated later.
    case .again, .againWithNewCredential, .againWithoutBody: results[index].result = .failed
    }
    end(problem, at: index)
  }

  /// Ends the test of a device for which no request was made.
  func skip(_ problem: String, at index: Int) { end(problem, at: index) }

  private func end(_ problem: String, at index: Int) {
    results[index].problem = problem
    pendingCount -= 1
    if pendingCount == 0 { completion(results) }
  }
}
