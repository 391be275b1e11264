import Channels
import Crypto
import ParleyProtocol

/// Calls of the Platform API that this server makes itself to the homes of channels.
///
/// A home answers them as it answers the requests of clients. Confined to the first shard.
struct HomeCalls {
  typealias Completion = (CallOutcome) -> Void

  /// The number of no connection.
  static let connection = UInt64.max

  private var completions: [UInt64: Completion] = [:]
  private var lastNumber: UInt64 = 0

  mutating func begin(_ completion: @escaping Completion) -> UInt64 {
    lastNumber += 1
    completions[lastNumber] = completion
    return lastNumber
  }

  mutating func end(_ number: UInt64) -> Completion? { completions.removeValue(forKey: number) }
}

extension Shard {
  /// Makes a call of the Platform API to the home of a channel.
  ///
  /// - Parameter completion: Called once, on this shard, unless the home is lost.
  func callHome(
    ofChannel url: String, _ method: String, _ target: String,
    then completion: @escaping HomeCalls.Completion
  ) {
    let number = homeCalls.begin(completion)
    let address = ExchangeAddress(
      shard: handle.address, connection: HomeCalls.connection, number: number, trace: nil)
    let caller = services.apiTokens.first.bytes
    let request = PlatformRequest(
      method: method, target: target, body: [], caller: caller, exchange: address)
    send(.channel(url: url, .platform(request)))
  }
}
