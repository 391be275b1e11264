import Configuration
import ParleyProtocol
import Reactor
import Telemetry

/// The metrics as JSON, below `/v3/parley/metrics`.
enum MetricEndpoints {
  /// `GET`: the metrics of `/metrics`, with the state of the server and of its cluster.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    call.shard.countSessions { [services = call.services] sessions in
      let samples = services.allSamples
      completion { writer in
        writer.object {
          $0.member("version", Release.version)
          $0.member("uptime_ms", SystemClock.monotonicMilliseconds - services.startedAt)
          $0.member("stage", services.stage.name)
          $0.member("is_ready", services.unreadiness == nil)
          $0.member("reason", services.unreadiness ?? "")
          $0.problems(ProblemFinder(samples).problems)
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

extension MetricEndpoints {
  /// Characters of a name.
  private static let nameLimit = 64

  /// `GET …/history?names=&since=`: the values of the last day, every half minute.
  static func viewHistory(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let wanted = try call.query.texts("names", limit: nameLimit)
    let since = try call.query.integer("since", in: Limits.timestamps) ?? 0
    let history = call.services.metricRecord.history
    let names = wanted ?? history.keptNames
    let start = history.times.firstIndex { $0 >= since } ?? history.times.count
    completion { writer in
      writer.object {
        $0.member("interval_ms", MetricRecord.interval)
        $0.member(
          "times", array: { for time in history.times.dropFirst(start) { $0.value(time) } })
        $0.member(
          "series",
          array: {
            for series in history.series(of: names, from: start) { series.encode(into: &$0) }
          })
      }
    }
  }
}

extension MetricHistory.Series {
  fileprivate func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("name", name)
      $0.member("kind", kind.rawValue)
      $0.member(
        "values",
        array: { writer in
          for value in values { writer.value(raw: value?.json ?? Array("null".utf8)) }
        })
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
      $0.member("p50_seconds", raw: (snapshot.quantile(0.5) ?? 0).json)
      $0.member("p99_seconds", raw: (snapshot.quantile(0.99) ?? 0).json)
    }
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
