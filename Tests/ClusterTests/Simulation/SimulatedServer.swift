import Cluster

/// A server in a ``Simulation``: takes bytes from the bus and time, and gives bytes to the bus.
protocol SimulatedServer {
  var id: ServerID { get }

  /// The time of the next turn if nothing arrives before.
  var deadline: Int64? { get }

  /// Takes bytes from an inbox that it listens on.
  mutating func receive(_ bytes: [UInt8], at now: Int64)

  /// Ends a turn: does what is due.
  ///
  /// - Returns: Messages for the bus, each with its receiver; `nil` stands for all servers.
  mutating func turn(at now: Int64) -> [(receiver: ServerID?, bytes: [UInt8])]
}

/// The faults of a bus, as chances in a thousand.
struct SimulatedFaults {
  var loss = 0
  var doubling = 0
  /// The shortest and longest time on the way, in milliseconds; a wide range changes the order.
  var delay: ClosedRange<Int64> = 1...1
  /// Servers whose messages do not leave.
  var mutes: Set<ServerID> = []
  /// Servers that nothing reaches.
  var deaf: Set<ServerID> = []

  static let none = SimulatedFaults()
}
