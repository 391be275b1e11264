internal import ParleyProtocol
internal import Reactor
internal import Telemetry
internal import Unfurler

/// The outcomes of queries.
enum UnfurlLoopCounter: Int, MetricKey {
  case preview
  case noPreview
  case failed
  case timedOut
  case cancelled
  case unknown
  /// The connection closed first.
  case abandoned
  /// Rejected for its content.
  case invalid
  /// Rejected because of too many queries, or because the server shuts down.
  case busy

  init(_ outcome: Result<OpenGraphTag?, UnfurlError>) {
    switch outcome {
    case .success(.some): self = .preview
    case .success(nil): self = .noPreview
    case .failure(.failed): self = .failed
    case .failure(.timedOut): self = .timedOut
    case .failure(.cancelled): self = .cancelled
    case .failure(.unknown): self = .unknown
    }
  }

  var definition: MetricDefinition {
    MetricDefinition(
      "parley_unfurl_requests_total", kind: .counter, help: "Questions by outcome.",
      labels: [.init("outcome", label)])
  }

  private var label: String {
    switch self {
    case .preview: "preview"
    case .noPreview: "no_preview"
    case .failed: "failed"
    case .timedOut: "timed_out"
    case .cancelled: "cancelled"
    case .unknown: "unknown"
    case .abandoned: "abandoned"
    case .invalid: "invalid"
    case .busy: "busy"
    }
  }
}

/// The latency of the queries that were looked up.
enum UnfurlLoopLatency: Int, MetricKey {
  case lookUp

  var definition: MetricDefinition {
    MetricDefinition(
      "parley_unfurl_duration_seconds", kind: .histogram,
      help: "Time from a question to its answer, or to its end without one.")
  }
}

/// The counters of a server, written on its thread only.
struct UnfurlLoopMetrics {
  private let counters = CounterShard<UnfurlLoopCounter>()
  private let latencies = HistogramShard<UnfurlLoopLatency>()

  /// Counts a query that was not looked up.
  func count(_ outcome: UnfurlLoopCounter) { counters.add(to: outcome) }

  /// Counts a query that was looked up.
  ///
  /// - Parameter start: The arrival time, in nanoseconds of the monotonic clock.
  func count(_ outcome: UnfurlLoopCounter, since start: Int64) {
    counters.add(to: outcome)
    let duration = SystemClock.monotonicNanoseconds - start
    latencies.record(nanoseconds: UInt64(max(0, duration)), for: .lookUp)
  }

  func samples(pending: Int) -> [MetricSample] {
    let inFlight = MetricSample(
      MetricDefinition(
        "parley_unfurl_in_flight", kind: .gauge, help: "Questions that are unanswered."),
      .level(Int64(pending)))
    return CounterShard.samples(summing: [counters]) + [inFlight]
      + HistogramShard.samples(summing: [latencies])
  }
}
