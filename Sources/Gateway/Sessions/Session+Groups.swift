import Channels
import Configuration
import Hooks
import ParleyProtocol
import Reactor
import Store
import Telemetry

extension Session {
  /// Lists the user's groups, or public ones.
  ///
  /// - Throws: 500910.
  func listGroups(
    _ list: GroupList, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try admitQuery(by: caller)
    let userID = caller.user.id
    let source: GroupSource =
      list.isPublicOnly ? .publicGroups(seenBy: userID) : .memberships(ofUser: userID)
    let listing = GroupListing(
      list, of: source, at: shard.services.clock.now, as: shard.groupEncoder)
    shard.listGroups(listing, for: .session(caller)) {
      $0.encoded(as: "channels")
    } then: { shard, result in
      shard.reply(to: address, result)
    }
  }

  /// Lists the user's groups that have changed.
  ///
  /// - Throws: 500910, or 400111 for a time too long ago.
  func listChanges(
    _ list: ChangeList, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try list.requireKept(at: shard.services.clock.now)
    try admitQuery(by: caller)
    let changes = GroupChanges(
      ofUser: caller.user.id, list, at: shard.services.clock.now, as: shard.groupEncoder)
    shard.listGroups(changes, for: .session(caller)) {
      $0.encoded(next: "token")
    } then: { shard, result in
      shard.reply(to: address, result)
    }
  }

  /// Adds up what the user has not read.
  ///
  /// - Throws: 500910.
  func total(
    _ totals: GroupTotals, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try admitQuery(by: caller)
    shard.listGroups(UnreadTotals(of: caller.user.id, totals), for: .session(caller)) { numbers in
      JSONWriter.bytes { $0.object { numbers.encode(into: &$0) } }
    } then: { shard, result in
      shard.reply(to: address, result)
    }
  }

  /// Begins or ends the events about the numbers over all groups.
  ///
  /// - Throws: 500910.
  func watchTotals(
    _ isOn: Bool, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    guard isOn else {
      endTotals()
      return reply(.empty, to: address)
    }
    try admitQuery(by: caller)
    let watch = totals ?? TotalsWatch(of: caller, on: self)
    if totals == nil {
      totals = watch
      shard.gauges.add(1, to: .totalsWatchers)
      for url in places.urls { shard.channelSubscribers[url]?.add(watch) }
    }
    watch.begin(answering: address)
  }

  func endTotals() {
    guard let watch = totals else { return }
    totals = nil
    shard.gauges.add(-1, to: .totalsWatchers)
    for url in places.urls { shard.channelSubscribers[url]?.remove(watch) }
    watch.end()
  }

  /// Changes and returns the user's choices.
  ///
  /// - Throws: 400111 for private reads where they are not permitted.
  func prefer(
    _ preferences: UserPreferences, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    let (settings, services, path) = (shard.settings.groups, shard.services, shard.returnPath)
    if preferences.sendsReadReceipts == false, !settings.allowsPrivateReads {
      throw .invalid(
        "send_read_receipts", "false", expected: "true, because private reads are not enabled")
    }
    services.choose(preferences, userID: caller.user.id) { result in
      let outcome = result.map { choices in
        JSONWriter.bytes {
          $0.object {
            $0.member(
              "auto_accept_invitations", choices.acceptsInvitations ?? settings.autoAccept)
            $0.member(
              "send_read_receipts", !settings.allowsPrivateReads || !choices.hidesReads)
          }
        }
      }
      path.resume { $0.reply(to: address, outcome) }
    }
  }

  /// Marks several groups as read, or all.
  ///
  /// - Throws: 500910.
  func markRead(
    _ groups: GroupsMarkRead, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) throws(ServiceError) {
    try admitQuery(by: caller)
    let done: @Sendable (Shard, CallOutcome) -> Void = { $0.reply(to: address, $1) }
    if let urls = groups.channelURLs {
      shard.markRead(urls, by: caller.user) { [shard] in
        done(shard, $0.map(CallOutcome.failure) ?? .empty)
      }
    } else {
      shard.markAllRead(by: caller.user, for: .session(caller)) { shard, result in
        done(shard, result.map { Array("{}".utf8) })
      }
    }
  }

  /// Marks messages of several groups as delivered to a client of the user.
  func markDelivered(
    _ groups: GroupsMarkDelivered, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    shard.markDelivered(groups, by: caller.user) { [shard] in
      shard.reply(to: address, $0.map(CallOutcome.failure) ?? .empty)
    }
  }

  private func admitQuery(by caller: SessionPrincipal) throws(ServiceError) {
    try shard.services.groupRates.admitQuery(
      by: caller.user.id, at: SystemClock.monotonicMilliseconds)
  }

  /// Creates a group with the caller and others as members.
  func createGroup(
    _ command: GroupCreate, _ caller: SessionPrincipal, _ address: ReplyAddress
  ) {
    do throws(ServiceError) {
      try shard.services.groupRates.admitCreation(
        by: caller.user.id, inviting: command.userIDs.count,
        at: SystemClock.monotonicMilliseconds)
      let creation = try GroupCreation(
        command, by: caller.user, under: shard.settings.groups, at: shard.services.clock.now)
      guard shard.services.hooks?.asks(.groupCreate) == true else {
        return shard.send(creation, by: caller.user.id, replyTo: address)
      }
      checkNew(command.channelURL, naming: creation.invitedIDs, address) { session in
        session.asking(
          .groupCreate, about: command, command.hookParameters, caller, address
        ) { changes, command, limits throws(ServiceError) in
          try command.changed(by: changes, limits)
        } then: { shard, command in
          do throws(ServiceError) {
            let creation = try GroupCreation(
              command, by: caller.user, under: shard.settings.groups,
              at: shard.services.clock.now)
            shard.send(creation, by: caller.user.id, replyTo: address)
          } catch {
            shard.reply(to: address, .failure(error))
          }
        }
      }
    } catch {
      reply(.failure(error), to: address)
    }
  }

  /// Notifies the client that it receives everything that happens in its groups.
  func becomeReady(changeToken: String) {
    guard case .open = state else { return }
    settleEvents()
    let event = Event.groupReady(Event.Readiness(token: changeToken))
    send(event.notification(from: .session(at: shard.services.clock.now)))
  }
}

extension Shard {
  /// Creates a group, unless as many that the user has created exist as its quota allows.
  fileprivate func send(
    _ creation: GroupCreation, by userID: String, replyTo address: ReplyAddress
  ) {
    let limit = settings.limits.quotas.userGroupsCreated
    guard limit > 0 else { return send(creation, replyTo: address) }
    let path = returnPath
    services.store.perform(CreatedGroupCount(by: userID, upTo: limit)) { result in
      path.resume { shard in
        switch result.serviceResult {
        case .success(limit): shard.reply(to: address, .failure(.groupQuota(limit)))
        case .success: shard.send(creation, replyTo: address)
        case .failure(let error): shard.reply(to: address, .failure(error))
        }
      }
    }
  }

  private func send(_ creation: GroupCreation, replyTo address: ReplyAddress) {
    send(
      .channel(url: creation.channel.url, .createGroup(creation, replyTo: .session(address))))
  }
}
