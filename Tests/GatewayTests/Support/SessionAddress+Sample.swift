import Channels

@testable import Gateway
@testable import Transport

extension SessionAddress {
  /// A session that is nowhere.
  static func sample(_ number: Int, shard: Int = 0) -> SessionAddress {
    SessionAddress(
      on: ShardAddress(shard: UInt16(shard)),
      connection: ConnectionID(slot: UInt32(number) + 1000, generation: 1))
  }
}
