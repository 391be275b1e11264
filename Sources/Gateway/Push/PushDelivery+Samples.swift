import ParleyProtocol
import Push
import PushDelivery
import Telemetry

extension PushDelivery {
  /// The samples of the pushes.
  ///
  /// - Parameter now: Unix milliseconds.
  func samples(at now: Int64) -> [MetricSample] {
    let age = counters.oldest.map { max(0, now - $0) / 1_000 } ?? 0
    return HistogramShard.samples(summing: [counters.seconds]) + ended + tokens + [
      MetricSample(
        "parley_push_backlog", .gauge, "Messages that wait for being pushed.", counters.backlog),
      MetricSample(
        "parley_push_oldest_seconds", .gauge, "Age of the oldest message that waits.", Int(age)),
    ]
  }

  private var ended: [MetricSample] {
    PushWay.allCases.flatMap { way in
      PushResult.allCases.map { result in
        MetricSample(
          "parley_push_total", .counter, "Pushes that have ended, by way and outcome.",
          counters[way, result], .init("way", way.name), .init("outcome", result.rawValue))
      }
    }
  }

  private var tokens: [MetricSample] {
    PushTokenType.allCases.map { type in
      MetricSample(
        "parley_push_tokens", .gauge, "Registered devices, by type.", counters.tokenCount(type),
        .init("type", type.rawValue))
    }
  }
}
