@testable import Channels

extension SessionAddress {
  /// A session that is nowhere.
  static func sample(_ number: Int, shard: Int = 0) -> SessionAddress {
    SessionAddress(shard: UInt16(shard), connection: UInt64(number))
  }
}
