import ParleyProtocol
import Store

extension HomeChannel {
  func mute(_ command: ChannelRestriction, by caller: Caller, replyTo address: ReplyAddress) {
    impose(command, by: caller, replyTo: address) { transaction, url, restriction in
      try transaction.mute(channelURL: url, restriction)
    } then: { channel, restriction in
      channel.mutes[restriction.userID] = restriction
    }
  }

  func unmute(_ command: ChannelUserReference, by caller: Caller, replyTo address: ReplyAddress) {
    lift(by: caller, replyTo: address) { transaction, url, now in
      try transaction.unmute(channelURL: url, userID: command.userID, at: now)
    } then: { channel in
      channel.mutes[command.userID] = nil
    }
  }

  /// Bans a user, who is told and then put out.
  func ban(_ command: ChannelRestriction, by caller: Caller, replyTo address: ReplyAddress) {
    impose(command, by: caller, replyTo: address) { transaction, url, restriction in
      try transaction.ban(channelURL: url, restriction)
    } then: { channel, restriction in
      channel.bans[restriction.userID] = restriction
      channel.expel(restriction.userID)
    }
  }

  func unban(_ command: ChannelUserReference, by caller: Caller, replyTo address: ReplyAddress) {
    lift(by: caller, replyTo: address) { transaction, url, now in
      try transaction.unban(channelURL: url, userID: command.userID, at: now)
    } then: { channel in
      channel.bans[command.userID] = nil
    }
  }

  /// Stores a restriction, tells it, and goes on with it in force.
  private func impose(
    _ command: ChannelRestriction, by caller: Caller, replyTo address: ReplyAddress,
    _ job: @escaping @Sendable (WriteTransaction, String, Restriction) throws -> RecordedEvent,
    then: @escaping @Sendable (HomeChannel, Restriction) -> Void
  ) {
    guard mayOperate(caller, replyTo: address) else { return }
    let url = url
    let restriction = Restriction(command, from: now)
    write {
      try job($0, url, restriction)
    } then: { channel, result in
      channel.reply(result.flatMap { _ in .empty }, to: address)
      guard case .success(let event) = result else { return }
      channel.tell(event, except: nil)
      then(channel, restriction)
    }
  }

  /// Takes a restriction back; there is nothing to tell when there was none.
  private func lift(
    by caller: Caller, replyTo address: ReplyAddress,
    _ job: @escaping @Sendable (WriteTransaction, String, Int64) throws -> RecordedEvent?,
    then: @escaping @Sendable (HomeChannel) -> Void
  ) {
    guard mayOperate(caller, replyTo: address) else { return }
    let url = url
    let now = now
    write {
      try job($0, url, now)
    } then: { channel, result in
      channel.reply(result.flatMap { _ in .empty }, to: address)
      guard case .success(let event) = result else { return }
      then(channel)
      if let event { channel.tell(event, except: nil) }
    }
  }
}

extension Restriction {
  fileprivate init(_ command: ChannelRestriction, from now: Int64) {
    self.init(
      userID: command.userID, startsAt: now, endsAt: now + command.durationMilliseconds,
      description: command.description)
  }
}
