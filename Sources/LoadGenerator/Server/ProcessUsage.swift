/// What a process has used so far.
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

/// Where the server's usage is read.
package protocol UsageSource {
  /// Reads it now; `nil` when that fails.
  func read() -> ProcessUsage?
}
