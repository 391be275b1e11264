internal import LoadGenerator

/// The server's usage out of its metrics, for one that runs on another machine.
///
/// CPU time is as fine as the kernel's ticks, memory is all that is resident.
struct MetricsUsage: UsageSource {
  let source: MetricsSource

  func read() -> ProcessUsage? {
    guard let text = try? source.read().text, let cpu = text.sum("process_cpu_seconds_total"),
      let memory = text.sum("process_resident_memory_bytes"), cpu >= 0, memory >= 0,
      cpu < 1e9, memory < 1e15
    else { return nil }
    return ProcessUsage(cpu: Int64(cpu * 1e9), memory: Int64(memory))
  }
}
