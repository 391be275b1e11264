import Configuration
import ParleyProtocol
import Reactor
import Telemetry

/// The metrics as JSON, below `/v3/parley/metrics`.
enum MetricEndpoints {
  /// `GET`: the metrics of `/metrics`, with the state of the server and of its cluster.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    call.shard.countSessions { [services = call.services] sessions in
      let samples = services.metrics.samples(with: services.samples)
      completion { writer in
        writer.object {
          $0.member("version", Release.version)
          $0.member("uptime_ms", SystemClock.monotonicMilliseconds - services.startedAt)
          $0.member("stage", services.stage.name)
          $0.member("is_ready", services.unreadiness == nil)
          $0.member("reason", services.unreadiness ?? "")
          $0.name("cluster")
          services.clusterStatus(sessions: sessions).encode(home: nil, into: &$0)
          $0.member(
            "samples", array: { for sample in samples { sample.encodeNumber(into: &$0) } })
          $0.member(
            "durations", array: { for sample in samples { sample.encodeDurations(into: &$0) } })
        }
      }
    }
  }
}

extension GatewayServices.Lifecycle {
  fileprivate var name: String {
    switch self {
    case .starting: "starting"
    case .serving: "serving"
    case .draining: "draining"
    }
  }
}

extension MetricSample {
  /// Writes a sample that has one number.
  fileprivate func encodeNumber(into writer: inout JSONWriter) {
    switch value {
    case .count(let count): encode(Int64(clamping: count), into: &writer)
    case .level(let level): encode(level, into: &writer)
    case .real(let real): encode(real, into: &writer)
    case .histogram: break
    }
  }

  private func encode(_ number: some JSONNumeric, into writer: inout JSONWriter) {
    writer.object {
      $0.member("name", definition.name)
      let labels = definition.labels.map { ($0.name, $0.value) }
      $0.member("labels", Dictionary(labels) { first, _ in first })
      $0.member("value", raw: number.json)
    }
  }

  /// Writes a sample that is a distribution of durations.
  fileprivate func encodeDurations(into writer: inout JSONWriter) {
    guard case .histogram(let snapshot) = value else { return }
    writer.object {
      $0.member("name", definition.name)
      $0.member("count", Int64(clamping: snapshot.counts.reduce(0, &+)))
      $0.member("sum_seconds", raw: (Double(snapshot.sumNanoseconds) / 1e9).json)
      $0.member("p50_seconds", raw: snapshot.bound(of: 0.5).json)
      $0.member("p99_seconds", raw: snapshot.bound(of: 0.99).json)
    }
  }
}

extension HistogramSnapshot {
  /// The bound in seconds below which a share of the durations lie, as precise as the buckets allow; 0
  /// when there are no durations.
  fileprivate func bound(of share: Double) -> Double {
    let wanted = Double(counts.reduce(0, &+)) * share
    var sum = 0.0
    for (bound, count) in zip(bounds.nanoseconds + bounds.nanoseconds.suffix(1), counts) {
      sum += Double(count)
      if count > 0, sum >= wanted { return Double(bound) / 1e9 }
    }
    return 0
  }
}

/// A number that JSON can represent.
private protocol JSONNumeric {
  var json: [UInt8] { get }
}

extension Int64: JSONNumeric {
  fileprivate var json: [UInt8] { Array(String(self).utf8) }
}

extension Double: JSONNumeric {
  fileprivate var json: [UInt8] { Array((isFinite ? "\(self)" : "0").utf8) }
}
