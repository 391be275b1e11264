/// The measurements of one interval of a run, about a second long.
package struct TimelinePoint: Sendable, Hashable {
  /// Seconds since the start of the load, at the end of the interval.
  package var seconds: Double
  /// Messages sent, deliveries and bytes received, per second.
  package var sentPerSecond: Double = 0
  package var deliveriesPerSecond: Double = 0
  package var bytesPerSecond: Double = 0
  /// Latencies of the interval's deliveries, in nanoseconds; `nil` if there were none.
  package var median: Int64?
  package var p99: Int64?
  package var longest: Int64?
  /// Connections that are ready.
  package var connections = 0
  /// The server's memory in bytes, and its CPU time per elapsed time: 1 is one core.
  package var serverMemory: Int64?
  package var serverCPU: Double?
  /// This program's CPU time per elapsed time.
  package var generatorCPU: Double?
}
