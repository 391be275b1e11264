import Channels
import Cluster
import Configuration
import Reactor
import ShardMessages
import Transport

/// A message to a shard about the process that it is part of: its end, its memory, its sockets.
///
/// No other server ever sends one, so it may hold references.
enum LocalMessage: Sendable {
  /// Begins to stop.
  case drain
  /// Stops without waiting for clients.
  case hurry
  /// Ends the event loop: no shard has work left.
  case stop
  /// Sends a message as the shard's own.
  case send(ShardMessage)
  /// Other settings hold.
  case settingsDidChange
  /// The ring of servers is another.
  case ringDidChange
  /// The store has connected anew to its database, which may have lost its last commits.
  case storeReconnected
  /// Messages from and to a server were lost.
  case linkWasReset(ServerID, count: Int)
  /// These servers are not heard, and no others.
  case silenceDidChange(Set<ServerID>)
  /// Closes sessions that have lost their right.
  case evict(EvictionList)
  /// Has all clients open their sessions once more.
  case authenticateAnew
  /// Ends observers whose API token was revoked.
  case checkObservers
  /// The cluster goes on without this server.
  case leaveCluster(reason: String)
  /// Has a connection hear a channel, without being in it.
  case observe(channelURL: String, ReplyAddress)
  /// The connection is to hear no more of the channel.
  case unobserve(channelURL: String, SessionAddress)
  /// The connection hears the channel from here on.
  case observing(channelURL: String, ReplyAddress, result: [UInt8])
  /// Asks for a sign that the event loop turns.
  case pulse(MissingAnswers)
  /// Closes silent connections of a pool that has no room left.
  case shed(SocketPool)

  // The relief of memory: the shard that begins it asks all for their largest holders, then has the
  // largest of all closed.
  case nameHolders(replyTo: Int)
  case holders([MemoryRelief<ConnectionID>.Holder])
  case closeHolder(MemoryRelief<ConnectionID>.Holder, replyTo: Int)
  case holderClosed
}

extension Shard {
  /// Sends a message to a shard of this process, after all that this shard sent there before.
  func send(_ message: LocalMessage, to index: Int) {
    send(.local(message), to: services.shards[index])
  }

  func receive(_ message: LocalMessage) {
    switch message {
    case .drain: beginDraining()
    case .hurry: drain?.hurry()
    case .stop:
      users.noteAllSeen()
      loop.stop()
    case .send(let message): send(message)
    case .settingsDidChange: adopt(services.settings)
    case .ringDidChange: edge?.ringDidChange()
    case .storeReconnected: LogComparison(on: self).begin()
    case .linkWasReset(let server, let count): edge?.linkWasReset(with: server, count: count)
    case .silenceDidChange(let servers):
      stages.polling.silenceDidChange(servers)
      edge?.calls.silenceDidChange(servers)
    case .evict(let evictions): evict(evictions)
    case .authenticateAnew: authenticateAnew()
    case .checkObservers: checkObservers()
    case .leaveCluster(let reason):
      edge?.leave()
      services.leaveCluster(reason: reason)
    case .observe(let url, let address): observe(url, address)
    case .unobserve(let url, let session): channels.stage(url)?.handle(.unobserve(session))
    case .observing(let url, let address, let result): didObserve(url, address, result)
    case .pulse(let missing): missing.oneCame()
    case .shed(let pool): transport.shed(in: pool)
    case .nameHolders(let index): send(.holders(largestHolders), to: index)
    case .holders(let largest): take(largest)
    case .closeHolder(let holder, let index):
      shed(holder)
      send(.holderClosed, to: index)
    case .holderClosed: didShed()
    }
  }

  private func beginDraining() {
    guard drain == nil else { return }
    let drain = ShardDrain(shard: self, timeout: settings.drain.timeoutMilliseconds)
    self.drain = drain
    channels.endWaiting()
    drain.begin()
  }
}
