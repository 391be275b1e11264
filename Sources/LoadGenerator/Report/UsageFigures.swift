/// The resource usage of the server and of this program.
package struct UsageFigures: Sendable, Hashable {
  /// CPU time in the measured stretch, in nanoseconds.
  package var serverCPU: Int64?
  package var generatorCPU: Int64?
  /// The server's memory before the first connection, with all idle, and at both ends of the
  /// measured stretch; bytes.
  package var memoryBefore: Int64?
  package var memoryConnected: Int64?
  package var memoryAtStart: Int64?
  package var memoryAtEnd: Int64?
  /// This program's own memory before the first connection and with all idle; bytes.
  package var generatorMemoryBefore: Int64?
  package var generatorMemoryConnected: Int64?

  /// The number of connections when all were idle.
  package var idleConnections = 0

  package init() {}
}
