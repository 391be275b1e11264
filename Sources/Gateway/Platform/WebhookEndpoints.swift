import Cluster
import ParleyProtocol
import Store
import Webhooks

/// The deliveries of webhooks, below `/v3/parley/webhooks`.
enum WebhookEndpoints {
  /// `GET …`: the state of the deliveries to each URL.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    guard let webhooks = call.services.webhooks else {
      return completion(.success([ReceiverReport]().encoded))
    }
    webhooks.report { completion($0.serviceResult.map(\.encoded)) }
  }

  /// `POST …/test`: posts a test event to each URL, and returns the responses.
  static func test(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let webhooks = try webhooks(call)
    webhooks.test { completion(.success($0.encoded)) }
  }

  /// `POST …/retry`: retries waiting deliveries soon, on all servers, and answers with the state of this
  /// server's deliveries.
  static func retry(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let webhooks = try webhooks(call)
    let services = call.services
    services.announceWebhookRetry { result in
      switch result {
      case .success:
        webhooks.retry()
        webhooks.report { completion($0.serviceResult.map(\.encoded)) }
      case .failure: completion(result.serviceResult.map { [] })
      }
    }
  }

  private static func webhooks(_ call: PlatformCall) throws(ServiceError) -> Webhooks {
    guard let webhooks = call.services.webhooks else {
      throw ServiceError(
        .combinationNotAcceptable, "there are no webhooks: webhooks.urls is not set")
    }
    return webhooks
  }
}

extension GatewayServices {
  /// Makes the other servers of the cluster retry waiting deliveries soon.
  fileprivate func announceWebhookRetry(
    _ completion: @escaping @Sendable (Result<Void, StoreError>) -> Void
  ) {
    guard controlLog != nil else { return completion(.success(())) }
    store.perform(OutboxRetry(askedServer: serverID.description)) { [self] result in
      if case .success = result { didAnnounce() }
      completion(result)
    }
  }
}

extension [ReceiverReport] {
  fileprivate var encoded: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("webhooks", array: { for report in self { report.encode(into: &$0) } })
      }
    }
  }
}

extension ReceiverReport {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("url", url)
      $0.member("backlog", backlog)
      $0.member("last_success_at", lastSuccess ?? 0)
      $0.member("last_failure_at", lastFailure ?? 0)
      $0.member("last_failure", reason)
      $0.member("next_attempt_at", nextAttempt ?? 0)
    }
  }
}

extension [WebhookTestResult] {
  fileprivate var encoded: [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member(
          "webhooks",
          array: {
            for result in self {
              $0.object {
                $0.member("url", result.url)
                $0.member("status", result.status ?? 0)
                $0.member("problem", result.problem)
              }
            }
          })
      }
    }
  }
}
