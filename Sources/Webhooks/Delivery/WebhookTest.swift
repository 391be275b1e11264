/// An operator's test whether the URLs can be reached, until all of them have answered.
///
/// Confined to the loop's thread.
final class WebhookTest {
  private var results: [WebhookTestResult]
  private var pendingCount: Int
  private let completion: @Sendable ([WebhookTestResult]) -> Void

  init(urls: [String], completion: @escaping @Sendable ([WebhookTestResult]) -> Void) {
    results = urls.map { WebhookTestResult(url: $0, status: nil, problem: "") }
    pendingCount = urls.count
    self.completion = completion
    if urls.isEmpty { completion([]) }
  }

  func add(_ outcome: DeliveryOutcome, receiver: Int) {
    switch outcome {
    case .taken(let status): results[receiver].status = status
    case .failed(let status, let reason, _):
      results[receiver].status = status
      results[receiver].problem = reason
    }
    pendingCount -= 1
    if pendingCount == 0 { completion(results) }
  }
}

/// The answer of a URL to a test.
package struct WebhookTestResult: Sendable, Hashable {
  /// Without its query.
  package var url: String
  /// The answer's status; `nil` without an answer.
  package var status: Int?
  /// The reason why the event would be retried; empty when it was received.
  package var problem: String
}
