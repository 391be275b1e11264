import Logging
import Reactor
import Telemetry
import Transport
import HTTP

/// Closes the largest connections when all connections together hold too much memory.
extension Shard {
  private typealias Relief = MemoryRelief<ConnectionID>

  /// Publishes the memory held by this shard's connections, and begins a relief if necessary.
  func balanceMemory() {
    let held = transport.heldByteCount
    guard held != publishedByteCount else { return }
    publishedByteCount = held
    services.memory.publish(held, of: handle.index)
    if services.memory.isExceeded { relieveMemory() }
  }

  /// Asks all shards for their largest holders, then closes the largest of all.
  private func relieveMemory() {
    guard let excess = services.memory.beginRelief() else { return }
    reliefRound = ReliefRound(Relief(excess: excess, shards: services.shards.count))
    for target in services.shards.handles {
      send(.nameHolders(replyTo: handle.index), to: target.index)
    }
  }

  var largestHolders: [MemoryRelief<ConnectionID>.Holder] {
    transport.largestHolders(Relief.holdersPerShard).map {
      Relief.Holder(name: $0.id, shard: handle.index, byteCount: $0.byteCount)
    }
  }

  func take(_ largest: [MemoryRelief<ConnectionID>.Holder]) {
    guard let victims = reliefRound?.relief.add(largest) else { return }
    guard !victims.isEmpty else {
      reliefRound = nil
      return services.memory.endRelief()
    }
    reliefRound?.unclosedCount = victims.count
    for victim in victims {
      send(.closeHolder(victim, replyTo: handle.index), to: victim.shard)
    }
  }

  func shed(_ holder: MemoryRelief<ConnectionID>.Holder) {
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

  func didShed() {
    reliefRound?.unclosedCount -= 1
    guard reliefRound?.unclosedCount == 0 else { return }
    reliefRound = nil
    services.memory.endRelief()
    if services.memory.isExceeded { relieveMemory() }
  }
}

/// A running relief of memory, on the shard that started it.
struct ReliefRound {
  var relief: MemoryRelief<ConnectionID>
  var unclosedCount = 0

  init(_ relief: MemoryRelief<ConnectionID>) {
    self.relief = relief
  }
}
