/// A run's standing as one line.
package enum LiveLine {
  /// The line, without anything at its end.
  package static func text(_ progress: LoadProgress) -> String {
    let counters = progress.counters
    let connections = "\(Quantity.count(counters.ready))/\(Quantity.count(progress.members))"
    switch progress.phase {
    case .connecting: return "connecting  \(connections)"
    case .draining:
      return
        "draining    \(connections) connections, \(Quantity.count(counters.deliveries)) deliveries"
    case .warmUp, .measuring: break
    }
    let phase = progress.phase == .warmUp ? "warming up" : "measuring "
    let time = "\(Quantity.whole(progress.seconds))/\(Quantity.whole(progress.totalSeconds)) s"
    guard let point = progress.point else { return "\(phase)  \(time)" }
    var parts = [
      "\(phase)  \(time)", "\(connections) connections",
      "sent \(Quantity.rate(point.sentPerSecond))",
      "delivered \(Quantity.rate(point.deliveriesPerSecond))",
    ]
    if let median = point.median, let p99 = point.p99 {
      parts.append("p50 \(Quantity.time(Double(median))) p99 \(Quantity.time(Double(p99)))")
    }
    if let cpu = point.serverCPU {
      parts.append("server \(Quantity.fixed(cpu * 100, digits: 0)) %")
    }
    if let memory = point.serverMemory { parts.append(Quantity.bytes(Double(memory))) }
    if counters.errors > 0 { parts.append("\(counters.errors) errors") }
    return parts.joined(separator: "  ")
  }
}
