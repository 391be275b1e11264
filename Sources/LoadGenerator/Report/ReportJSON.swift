internal import ParleyProtocol

/// A report as JSON; times are nanoseconds, memory is bytes.
///
/// Figures that were not measured and percentiles with too few samples are omitted.
package enum ReportJSON {
  private static let parts: [(name: StaticString, part: Double)] = [
    ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99_9", 0.999), ("p99_99", 0.9999), ("max", 1),
  ]

  /// Writes the whole report as one object.
  package static func bytes(_ report: LoadReport) -> [UInt8] {
    JSONWriter.bytes(reserving: 16_384) {
      $0.object {
        $0.member("scenario", report.scenario)
        $0.member("ending", report.ending == .complete ? "complete" : "interrupted")
        $0.member("started_at", report.origin.startedAt)
        $0.member("origin", object: { origin(report.origin, into: &$0) })
        $0.member("warm_up_seconds", real: report.warmUpSeconds)
        $0.member("measured_seconds", real: report.measuredSeconds)
        $0.member("connections", report.connections)
        $0.member(
          "settings",
          object: {
            for (name, value) in report.settings {
              $0.name(escaping: name)
              $0.value(value)
            }
          })
        $0.member("latency_ns", object: { latencies(report, into: &$0) })
        $0.member("throughput_per_second", real: report.throughput)
        $0.member("counts", object: { counts(report, into: &$0) })
        $0.member("check", object: { check(report.verdict, into: &$0) })
        $0.member("usage", object: { usage(report, into: &$0) })
        $0.member("objectives", array: { objectives(report, into: &$0) })
        $0.member("marks", array: { marks(report.marks, into: &$0) })
        $0.member("timeline", array: { for point in report.timeline { add(point, to: &$0) } })
        $0.member("notes", report.notes)
      }
    }
  }

  private static func origin(_ origin: RunOrigin, into writer: inout JSONWriter) {
    writer.member("date", origin.date)
    writer.member("host", origin.machine.host)
    writer.member("cpu", origin.machine.processor)
    writer.member("cores", origin.machine.processorCount)
    writer.member("kernel", origin.machine.kernel)
    writer.member("gateway", origin.gateway)
    writer.member("target", origin.target)
    writer.member("generator", origin.generator)
    writer.member("command", origin.commandLine)
  }

  private static func marks(_ marks: [ReportMark], into writer: inout JSONWriter) {
    for mark in marks {
      writer.object {
        $0.member("seconds", real: mark.seconds)
        $0.member("name", mark.name)
      }
    }
  }

  private static func latencies(_ report: LoadReport, into writer: inout JSONWriter) {
    for series in LatencySeries.allCases where !report.latencies[series].isEmpty {
      let histogram = report.latencies[series]
      writer.name(escaping: series.name)
      writer.object {
        $0.member("count", Int64(clamping: histogram.count))
        $0.member("mean", Int64(histogram.mean))
        for (name, part) in parts { $0.member(name, ifKnown: histogram.supportedQuantile(part)) }
      }
    }
  }

  private static func counts(_ report: LoadReport, into writer: inout JSONWriter) {
    let counters = report.counters
    writer.member("sent", counters.sent)
    writer.member("accepted", counters.accepted)
    writer.member("refused_flood", counters.refusedFlood)
    writer.member("refused_otherwise", counters.refusedOtherwise)
    writer.member("unanswered", report.unanswered)
    writer.member("deliveries", counters.deliveries)
    writer.member("measured_deliveries", counters.measuredDeliveries)
    writer.member("recovered", counters.recovered)
    writer.member("gaps", counters.gaps)
    writer.member("updates", counters.updates)
    writer.member("withheld_told", counters.withheldTold)
    writer.member("received_bytes", counters.receivedBytes)
    writer.member("connected", counters.connected)
    writer.member("connected_at_end", counters.ready)
    writer.member("connect_failures", counters.connectFailures)
    writer.member("lost_connections", counters.lostConnections)
    writer.member("cut_connections", counters.cutConnections)
    writer.member("slow_closed", counters.slowClosed)
    writer.member("unexpected", counters.unexpected)
    writer.member("errors", report.errorCount)
  }

  private static func check(_ verdict: AuditVerdict, into writer: inout JSONWriter) {
    writer.member("subscriptions", verdict.subscriptions)
    writer.member("expected", verdict.expected)
    writer.member("delivered", verdict.delivered)
    writer.member("lost", verdict.lost)
    writer.member("doubled", verdict.doubled)
    writer.member("disordered", verdict.disordered)
    writer.member("uncalled_for", verdict.uncalledFor)
    writer.member("mistaken", verdict.mistaken)
    writer.member("withheld", verdict.withheld)
    writer.member("examples", verdict.examples)
  }

  private static func usage(_ report: LoadReport, into writer: inout JSONWriter) {
    let usage = report.usage
    writer.member("server_cpu_ns", ifKnown: usage.serverCPU)
    writer.member("generator_cpu_ns", ifKnown: usage.generatorCPU)
    writer.member("server_cpu_ns_per_delivery", ifKnown: report.cpuPerDelivery)
    writer.member("generator_cpu_ns_per_delivery", ifKnown: report.generatorCPUPerDelivery)
    writer.member("server_bytes_per_connection", ifKnown: report.memoryPerConnection)
    writer.member("generator_bytes_per_connection", ifKnown: report.generatorMemoryPerConnection)
    writer.member("server_memory_before", ifKnown: usage.memoryBefore)
    writer.member("server_memory_connected", ifKnown: usage.memoryConnected)
    writer.member("server_memory_at_start", ifKnown: usage.memoryAtStart)
    writer.member("server_memory_at_end", ifKnown: usage.memoryAtEnd)
  }

  private static func objectives(_ report: LoadReport, into writer: inout JSONWriter) {
    for outcome in report.outcomes {
      writer.object {
        $0.member("objective", outcome.objective.text)
        $0.member("value", ifKnown: outcome.value)
        $0.member("met", outcome.isMet)
      }
    }
  }

  private static func add(_ point: TimelinePoint, to writer: inout JSONWriter) {
    writer.object {
      $0.member("seconds", real: point.seconds)
      $0.member("sent_per_second", real: point.sentPerSecond)
      $0.member("deliveries_per_second", real: point.deliveriesPerSecond)
      $0.member("bytes_per_second", real: point.bytesPerSecond)
      $0.member("p50", ifKnown: point.median)
      $0.member("p99", ifKnown: point.p99)
      $0.member("max", ifKnown: point.longest)
      $0.member("connections", point.connections)
      $0.member("server_memory", ifKnown: point.serverMemory)
      $0.member("server_cpu", ifKnown: point.serverCPU)
      $0.member("generator_cpu", ifKnown: point.generatorCPU)
    }
  }
}

extension JSONWriter {
  /// Writes a member with at most three decimals.
  fileprivate mutating func member(_ name: StaticString, real value: Double) {
    self.name(name)
    self.value(rawText: Quantity.fixed(value, digits: 3))
  }

  fileprivate mutating func member(_ name: StaticString, ifKnown value: Double?) {
    if let value { member(name, real: value) }
  }

  fileprivate mutating func member(_ name: StaticString, ifKnown value: Int64?) {
    if let value { member(name, value) }
  }
}
