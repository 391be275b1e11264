import Channels
import Configuration
import Hooks
import ParleyProtocol
import Store
import Telemetry
import Transport

extension Session {
  /// Creates a channel with the creator as an operator.
  func create(_ command: ChannelCreate, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    do throws(ServiceError) { try shard.services.quotas.takeChannel(of: caller.user.id) } catch {
      return reply(.failure(error), to: address)
    }
    let create: @Sendable (Shard, ChannelCreate) -> Void = { shard, command in
      let channel = Channel(command, by: caller.user, at: shard.services.clock.now)
      shard.send(.channel(url: channel.url, .create(channel, replyTo: .session(address))))
    }
    guard shard.services.hooks?.asks(.channelCreate) == true else { return create(shard, command) }
    checkNew(command.channelURL, naming: command.fields.operatorIDs ?? [], address) { session in
      session.asking(
        .channelCreate, about: command, command.hookParameters, caller, address
      ) { changes, command, limits throws(ServiceError) in
        try command.changed(by: changes, limits)
      } then: {
        create($0, $1)
      }
    }
  }

  /// Lists channels.
  func list(_ command: ChannelList, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    let query = ChannelQuery(
      nameContains: command.nameContains, urlContains: command.urlContains,
      customTypes: command.customTypes ?? [],
      freezing: command.freezing, order: command.order, limit: command.limit,
      token: command.token)
    shard.listChannels(query, for: .session(caller)) { info, writer in
      info.encode(into: &writer)
    } then: { shard, result in
      shard.reply(to: address, result)
    }
  }

  /// Enters a channel, unless the user is in too many channels.
  func enter(_ command: ChannelEnter, _ caller: SessionPrincipal, _ address: ReplyAddress) {
    let url = command.channelURL
    let request = EnterRequest(principal: caller, recover: command.recover, address: address)
    shard.send(.user(id: caller.user.id, .enter(request, channelURL: url)))
  }

  func exit(_ url: String, _ caller: SessionPrincipal, _ address: ReplyAddress) throws(ServiceError)
  {
    guard isIn(url) else { throw .notInChannel(url) }
    guard shard.channelSubscribers[url]?.isOfGroup != true else {
      throw .wrongKind(url, .group)
    }
    unsubscribe(from: url)
    shard.leave(url, caller.session, userID: caller.user.id)
    if passedSends.values.contains(url) {
      shard.send(.channel(url: url, .exited(caller.session)))
    }
    reply(.empty, to: address)
  }

  /// Called when a channel has removed the connection.
  func wasPutOut(of url: String) {
    if case .observing(let observer) = state { return observer.forget(url) }
    unsubscribe(from: url)
    if let caller { shard.release(url, caller) }
  }

  func isIn(_ url: String) -> Bool { places[url] != nil }

  /// Subscribes to a channel's feed on this shard, or delivers the pending events of the subscription.
  func subscribe(to url: String) {
    if let place = places[url] { return place.settle() }
    let channel = shard.localChannel(url)
    let subscription = channel.subscribe(connection)
    if let totals { channel.add(totals) }
    places.insert(subscription, in: url)
    shard.gauges.add(1, to: .subscriptions)
  }

  /// Delivers all pending events of the connection, so that an answer follows them.
  func settleEvents() {
    places.settle(shard.transport.sweepingBuffers)
  }

  func unsubscribe(from url: String) {
    guard let channel = shard.channelSubscribers[url], let place = places.remove(url) else {
      return
    }
    channel.cancel(place, of: connection)
    if let totals { channel.remove(totals) }
    if channel.isEmpty { shard.channelSubscribers[url] = nil }
    shard.gauges.add(-1, to: .subscriptions)
  }
}

extension Channel {
  /// A channel that a user creates.
  fileprivate init(_ command: ChannelCreate, by user: User, at now: Int64) {
    let operatorIDs = [user.id] + (command.fields.operatorIDs ?? [])
    self.init(
      url: command.channelURL ?? Identifiers.channelURL(), name: command.fields.name ?? "",
      coverURL: command.fields.coverURL ?? "", data: command.fields.data ?? "",
      customType: command.fields.customType ?? "", isEphemeral: command.isEphemeral,
      operators: operatorIDs.withoutRepetitions().map { User(id: $0) }, createdAt: now)
  }
}

extension Shard {
  func localChannel(_ url: String) -> ChannelSubscribers {
    if let channel = channelSubscribers[url] { return channel }
    let channel = ChannelSubscribers(transport: transport)
    channelSubscribers[url] = channel
    return channel
  }

  /// Called when a channel with its home here has admitted a connection, which gets events from here on.
  func didEnter(_ url: String, userID: String, _ address: ReplyAddress, result: [UInt8]) {
    guard let session = session(address.session), session.connection.isOpen else {
      leave(url, address.session, userID: userID)
      return
    }
    session.subscribe(to: url)
    session.complete(address, .success(result))
  }

  /// Removes a connection from a channel at the homes of the channel and the user.
  func leave(_ url: String, _ session: SessionAddress, userID: String) {
    sendToStage(of: url, .leave(session, userID: userID))
    send(.user(id: userID, .release(session, channelURL: url)))
  }

  /// Removes a closed connection from the stages of its channels, a slice of them in each turn.
  func leaveStages(of urls: ArraySlice<String>, _ session: SessionAddress, userID: String) {
    let slice = urls.prefix(GroupCover.sliceLength)
    for url in slice { sendToStage(of: url, .leave(session, userID: userID)) }
    let rest = urls.dropFirst(slice.count)
    if !rest.isEmpty { handle.post(.local(.leaveStages(rest, session, userID: userID))) }
  }

  /// Sends a message to the stage of a channel on this server.
  func sendToStage(of url: String, _ message: StageMessage) {
    send(.stage(server: services.server, url: url, message))
  }

  /// Reports to a user's home that a connection did not enter a channel, or has left it.
  func release(_ url: String, _ caller: SessionPrincipal) {
    send(.user(id: caller.user.id, .release(caller.session, channelURL: url)))
  }

  /// Counts a channel for a user with its home here, and forwards the request to enter.
  func reserve(_ url: String, for request: EnterRequest) {
    let caller = request.principal
    guard users.reserve(url, for: caller.session, of: caller.user.id) else {
      let limit = settings.limits.channelsPerUser
      return reply(to: request.address, .failure(.tooManyChannels(limit: limit)))
    }
    send(.stage(server: caller.session.server, url: url, .enter(request)))
  }

  /// Admits a connection of this server to a channel, through the channel's stage here.
  func enter(_ request: EnterRequest, _ url: String) {
    if let stage = stages[url] {
      stage.handle(AttachmentInput.enter(request))
    } else if homeServer(ofChannel: url) == services.server {
      admit(request, to: url)
    } else {
      stages.makeStage(of: url).handle(AttachmentInput.enter(request))
    }
  }

  /// Admits a connection to a channel with its home here.
  private func admit(_ request: EnterRequest, to url: String) {
    channels.withChannel(url) { [unowned self] result in
      switch result {
      case .success(let channel): channel.enter(request)
      case .failure(let error):
        release(url, request.principal)
        reply(to: request.address, .failure(error))
      }
    }
  }
}

extension ChannelInfo {
  /// The result of a call that returns a channel.
  func encodedAsResult() -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.name("channel")
        encode(into: &$0)
      }
    }
  }
}
