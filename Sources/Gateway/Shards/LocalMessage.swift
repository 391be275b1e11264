import Channels
import Cluster
import Configuration
import Reactor
import Transport

/// A message to a shard about its process: shutdown, memory, sockets.
///
/// Never sent by another server, so it may contain references.
enum LocalMessage: Sendable {
  /// Begins to stop.
  case drain
  /// Stops without waiting for clients.
  case hurry
  /// Ends the event loop, because no shard has work left.
  case stop
  /// Sends a message from the shard.
  case send(ShardMessage)
  /// The settings have changed.
  case settingsDidChange
  /// The ring of servers has changed.
  case ringDidChange
  /// The store has reconnected to its database, which may have lost its last commits.
  case storeReconnected
  /// Messages to and from a server were lost.
  case linkWasReset(ServerID, count: Int)
  /// Exactly these servers are silent.
  case silenceDidChange(Set<ServerID>)
  /// Closes evicted sessions.
  case evict(EvictionList)
  /// Makes all clients open their sessions again.
  case authenticateAnew
  /// Closes observers whose API token was revoked.
  case checkObservers
  /// The cluster continues without this server.
  case leaveCluster(reason: String)
  /// Lets a connection observe a channel without being in it.
  case observe(channelURL: String, ReplyAddress)
  /// Stops a connection from observing a channel.
  case unobserve(channelURL: String, SessionAddress)
  /// The connection receives the events of the channel from here on.
  case observing(channelURL: String, ReplyAddress, result: [UInt8])
  /// A session receives the events of groups; with several servers only.
  case seat(Seat)
  /// Such a session was closed.
  case unseat(Seat)
  /// Such a session may be missing in a group.
  case renew(Seat)
  /// All groups of its user know the session.
  case groupsCovered(SessionAddress, changeToken: String)
  /// Answers a request to a stream of the shard.
  case streamRequest(MovingStreamRequest)
  /// Removes a closed connection from the stages of channels.
  case leaveStages(ArraySlice<String>, SessionAddress, userID: String)
  /// Deletes a group at home on the shard if it has no members, and answers the sweeper.
  case deleteEmptyGroup(String, replyTo: ReturnPath)
  /// Checks that the event loop is running.
  case pulse(MissingAnswers)
  /// Closes silent connections of a full pool.
  case shed(SocketPool)

  // The relief of memory: the shard that starts it asks all shards for their largest holders, then
  // closes the largest of all.
  case nameHolders(replyTo: Int)
  case holders([MemoryRelief<ConnectionID>.Holder])
  case closeHolder(MemoryRelief<ConnectionID>.Holder, replyTo: Int)
  case holderClosed
}

extension Shard {
  /// Sends a message to a shard of this process.
  ///
  /// Messages to one shard arrive in order.
  func send(_ message: LocalMessage, to index: Int) {
    send(.local(message), to: services.shards[index])
  }

  func receive(_ message: LocalMessage) {
    switch message {
    case .drain: beginDraining()
    case .hurry: drain?.hurry()
    case .stop:
      users.noteAllSeen()
      // Calls that were answered while the shard drained have left something to store.
      channels.endWaiting()
      edge?.end()
      loop.stop()
    case .send(let message): send(message)
    case .settingsDidChange: adopt(services.settings)
    case .ringDidChange: edge?.ringDidChange()
    case .storeReconnected: LogComparison(on: self).begin()
    case .linkWasReset(let server, let count): edge?.linkWasReset(with: server, count: count)
    case .silenceDidChange(let servers):
      stages.polling.silenceDidChange(servers)
      edge?.calls.silenceDidChange(servers)
      if let edge { streams.lose(where: edge.calls.isLost) }
    case .evict(let evictions): evict(evictions)
    case .authenticateAnew: authenticateAnew()
    case .checkObservers: checkObservers()
    case .leaveCluster(let reason):
      edge?.leave()
      services.leaveCluster(reason: reason)
    case .observe(let url, let address): observe(url, address)
    case .unobserve(let url, let session): channels.stage(url)?.handle(.unobserve(session))
    case .observing(let url, let address, let result): didObserve(url, address, result)
    case .seat(let seat): edge?.groupSessions.add(seat)
    case .unseat(let seat): edge?.groupSessions.remove(seat)
    case .renew(let seat): edge?.groupSessions.renew(seat)
    case .groupsCovered(let address, let token): session(address)?.becomeReady(changeToken: token)
    case .streamRequest(let request): receive(request)
    case .leaveStages(let urls, let session, let userID):
      leaveStages(of: urls, session, userID: userID)
    case .deleteEmptyGroup(let url, let path): deleteEmptyGroup(url, replyTo: path)
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
