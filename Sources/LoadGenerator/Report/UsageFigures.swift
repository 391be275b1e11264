/// The resource usage of the server and of this program.
package struct UsageFigures: Sendable, Hashable {
  /// CPU time in the measured time, in nanoseconds.
  package var serverCPU: Int64?
  package var generatorCPU: Int64?
  /// The server's memory before the first connection, with all connections idle, and at both ends
  /// of the measured time, in bytes.
  package var memoryBefore: Int64?
  package var memoryConnected: Int64?
  package var memoryAtStart: Int64?
  package var memoryAtEnd: Int64?
  /// This program's memory before the first connection and with all connections idle, in bytes.
  package var generatorMemoryBefore: Int64?
  package var generatorMemoryConnected: Int64?

  /// The number of idle connections.
  package var idleConnections = 0

  package init() {}
}
