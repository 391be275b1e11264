import Telemetry
import Webhooks

extension Webhooks {
  /// What the webhooks say of themselves.
  ///
  /// - Parameter now: Unix milliseconds.
  func samples(at now: Int64) -> [MetricSample] {
    let age = counters.oldestTimestamp.map { max(0, now - $0) / 1_000 } ?? 0
    return [
      MetricSample(
        "parley_webhook_events_delivered_total", .counter, "Events that a webhook took.",
        counters[.delivered]),
      MetricSample(
        "parley_webhook_requests_total", .counter, "Requests to webhooks, by outcome.",
        counters[.requests], .init("outcome", "taken")),
      MetricSample(
        "parley_webhook_requests_total", .counter, "Requests to webhooks, by outcome.",
        counters[.failedAttempts], .init("outcome", "failed")),
      dropped("expired", .expired), dropped("backlog", .dropped), dropped("lost", .lost),
      MetricSample(
        "parley_webhook_backlog_events", .gauge, "Events that wait for a webhook.",
        counters.backlog),
      MetricSample(
        "parley_webhook_oldest_event_seconds", .gauge, "Age of the oldest event that waits.",
        Int(age)),
    ]
  }

  private func dropped(_ reason: String, _ key: WebhookCounters.Key) -> MetricSample {
    MetricSample(
      "parley_webhook_events_dropped_total", .counter,
      "Events that a webhook will not get, by reason.", counters[key], .init("reason", reason))
  }
}
