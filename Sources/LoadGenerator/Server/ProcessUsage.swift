/// The resource usage of a process so far.
package struct ProcessUsage: Sendable, Hashable {
  /// CPU time of all its threads, in nanoseconds.
  package var cpu: Int64
  /// Memory that is its own, in bytes.
  package var memory: Int64

  package init(cpu: Int64, memory: Int64) {
    self.cpu = cpu
    self.memory = memory
  }
}

/// A source of the server's resource usage.
package protocol UsageSource {
  /// Reads it now; `nil` when that fails.
  func read() -> ProcessUsage?
}
