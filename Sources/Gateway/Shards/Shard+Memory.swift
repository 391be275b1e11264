import Logging
import Reactor
import Telemetry
import Transport
import WebSocket

/// Closing those that hold most when all connections together hold too much.
extension Shard {
  private typealias Relief = MemoryRelief<ConnectionID>

  /// A relief under way, on the shard that noticed.
  private final class Round {
    var relief: Relief
    var unclosedCount = 0

    init(_ relief: Relief) {
      self.relief = relief
    }
  }

  /// Publishes what this shard's connections hold, and begins a relief when that is too much.
  func balanceMemory() {
    let held = transport.heldByteCount
    guard held != publishedByteCount else { return }
    publishedByteCount = held
    services.memory.publish(held, of: handle.index)
    if services.memory.isExceeded { relieveMemory() }
  }

  /// Asks all shards for their largest holders, then has the largest of all closed.
  private func relieveMemory() {
    guard let excess = services.memory.beginRelief() else { return }
    let shards = services.shards.handles
    let round = LoopBound(Round(Relief(excess: excess, shards: shards.count)))
    let home = handle
    for target in shards {
      post(to: target) { shard in
        let largest = shard.largestHolders
        shard.post(to: home) { $0.take(largest, round) }
      }
    }
  }

  private var largestHolders: [Relief.Holder] {
    transport.largestHolders(Relief.holdersPerShard).map {
      Relief.Holder(name: $0.id, shard: handle.index, byteCount: $0.byteCount)
    }
  }

  private func take(_ largest: [Relief.Holder], _ round: LoopBound<Round>) {
    guard let victims = round.value.relief.add(largest) else { return }
    guard !victims.isEmpty else { return services.memory.endRelief() }
    round.value.unclosedCount = victims.count
    let home = handle
    for victim in victims {
      post(to: services.shards[victim.shard]) { shard in
        shard.shed(victim)
        shard.post(to: home) { $0.didShed(round) }
      }
    }
  }

  private func shed(_ holder: Relief.Holder) {
    if let connection = transport.connection(holder.name) {
      counters.add(to: .closedForMemory)
      services.logger.warning(
        "connections use more memory than limits.memory_bytes; closing the largest",
        metadata: [
          "client": "\(connection.clientAddress.map { "\($0)" } ?? "unknown")",
          "bytes": "\(holder.byteCount)", "limit": "\(services.memory.limit)",
        ])
      connection.shed(.tryAgainLater, reason: "the server is short of memory")
    }
    publishedByteCount = transport.heldByteCount
    services.memory.publish(publishedByteCount, of: handle.index)
  }

  private func didShed(_ round: LoopBound<Round>) {
    round.value.unclosedCount -= 1
    guard round.value.unclosedCount == 0 else { return }
    services.memory.endRelief()
    if services.memory.isExceeded { relieveMemory() }
  }
}
