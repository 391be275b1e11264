@testable import Gateway
@testable import Transport

extension SessionReference {
  /// A session that is nowhere.
  static func sample(_ number: Int, node: Int = 0) -> SessionReference {
    SessionReference(
      node: node, connection: ConnectionID(slot: UInt32(number) + 1000, generation: 1))
  }
}
