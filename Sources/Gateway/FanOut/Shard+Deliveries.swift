import Channels
import Telemetry
import Transport

extension Shard {
  /// Delivers a plan to the connections of this shard.
  func deliver(_ plan: FanOutPlan) {
    guard let channel = channelSubscribers[plan.channelURL] else { return }
    let deliveries = channel.apply(plan) { connection in
      sessions[ConnectionID(rawValue: connection)]?.subscription(to: plan.channelURL)
    }
    counters.add(UInt64(deliveries), to: .deliveries)
  }

  /// Sends the same event to several connections of this shard.
  func send(_ event: [UInt8], to group: [SessionAddress]) {
    for address in group { session(address)?.send(event) }
  }
}
