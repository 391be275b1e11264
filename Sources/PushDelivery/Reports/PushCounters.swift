package import ParleyProtocol
package import Push
import Store
import Synchronization
package import Telemetry

/// A way by which pushes are sent: the label `way` of metrics.
package enum PushWay: Int, Sendable, CaseIterable, MetricKey {
  case web
  case apns
  case fcm
  /// The operator's own service.
  case url

  package var name: String {
    switch self {
    case .web: "web"
    case .apns: "apns"
    case .fcm: "fcm"
    case .url: "url"
    }
  }

  /// Of the histogram of durations.
  package var definition: MetricDefinition {
    MetricDefinition(
      "parley_push_seconds", kind: .histogram, help: "Time of a request to a push service, by way.",
      labels: [.init("way", name)])
  }
}

/// Counts of pushes, and the level of the jobs; read from any thread.
package final class PushCounters: Sendable {
  private struct State {
    var results: [PushWay: [PushResult: Int]] = [:]
    var tokens: [PushTokenType: Int] = [:]
    var backlog = PushBacklog(count: 0)
  }

  private let state = Mutex(State())
  /// The durations of requests; written by the delivery thread.
  package let seconds = HistogramShard<PushWay>()

  package init() {}

  /// The number of pushes that ended so: `parley_push_total`.
  package subscript(way: PushWay, result: PushResult) -> Int {
    state.withLock { $0.results[way]?[result] ?? 0 }
  }

  /// The number of jobs that wait in the store; with several servers, of this server's lanes.
  package var backlog: Int { state.withLock { $0.backlog.count } }

  /// The time of the oldest message with such a job, in Unix milliseconds; `nil` without jobs.
  package var oldest: Int64? { state.withLock { $0.backlog.oldest } }

  /// The number of registered devices, counted once a minute.
  package func tokenCount(_ type: PushTokenType) -> Int { state.withLock { $0.tokens[type] ?? 0 } }

  func add(_ count: Int, _ result: PushResult, by way: PushWay) {
    guard count > 0 else { return }
    state.withLock { $0.results[way, default: [:]][result, default: 0] += count }
  }

  func publish(_ backlog: PushBacklog) { state.withLock { $0.backlog = backlog } }

  func publish(_ tokens: [PushTokenType: Int]) { state.withLock { $0.tokens = tokens } }
}
