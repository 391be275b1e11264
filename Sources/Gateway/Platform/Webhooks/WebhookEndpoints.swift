import ParleyProtocol
import Store
import Webhooks

/// What operators may ask about webhooks, below `/v3/parley/webhooks`.
extension PlatformCall {
  /// `GET …`: how it goes with each URL.
  func listWebhooks() throws(ServiceError) -> Work {
    guard let webhooks = node.services.webhooks else {
      return { reply in reply(.success([ReceiverReport]().encoded)) }
    }
    return { reply in
      webhooks.report { result in reply(result.serviceResult.map(\.encoded)) }
    }
  }

  /// `POST …/test`: posts an event of its own to each URL and tells what they answered.
  func testWebhooks() throws(ServiceError) -> Work {
    guard let webhooks = node.services.webhooks else {
      throw ServiceError(
        .combinationNotAcceptable, "there are no webhooks: webhooks.urls is not set")
    }
    return { reply in
      webhooks.test { results in reply(.success(results.encoded)) }
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
