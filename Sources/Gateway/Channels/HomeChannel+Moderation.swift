import ParleyProtocol
import Store

extension HomeChannel {
  func mute(_ command: ChannelRestriction, by caller: Caller, replyTo address: ReplyAddress) {
    guard mayOperate(caller, replyTo: address) else { return }
    let url = url
    let restriction = Restriction(command, from: now)
    write {
      try $0.mute(channelURL: url, restriction)
    } then: { channel, result in
      channel.reply(result.flatMap { _ in .empty }, to: address)
      guard case .success(let event) = result else { return }
      channel.mutes[restriction.userID] = restriction
      channel.tell(event, except: nil)
    }
  }

  func unmute(_ command: ChannelUserReference, by caller: Caller, replyTo address: ReplyAddress) {
    guard mayOperate(caller, replyTo: address) else { return }
    let url = url
    let now = now
    write {
      try $0.unmute(channelURL: url, userID: command.userID, at: now)
    } then: { channel, result in
      channel.reply(result.flatMap { _ in .empty }, to: address)
      guard case .success(let event) = result else { return }
      channel.mutes[command.userID] = nil
      if let event { channel.tell(event, except: nil) }
    }
  }

  /// Bans a user, who is told and then put out.
  func ban(_ command: ChannelRestriction, by caller: Caller, replyTo address: ReplyAddress) {
    guard mayOperate(caller, replyTo: address) else { return }
    let url = url
    let restriction = Restriction(command, from: now)
    write {
      try $0.ban(channelURL: url, restriction)
    } then: { channel, result in
      channel.reply(result.flatMap { _ in .empty }, to: address)
      guard case .success(let event) = result else { return }
      channel.bans[restriction.userID] = restriction
      channel.tell(event, except: nil)
      channel.expel(restriction.userID)
    }
  }

  func unban(_ command: ChannelUserReference, by caller: Caller, replyTo address: ReplyAddress) {
    guard mayOperate(caller, replyTo: address) else { return }
    let url = url
    let now = now
    write {
      try $0.unban(channelURL: url, userID: command.userID, at: now)
    } then: { channel, result in
      channel.reply(result.flatMap { _ in .empty }, to: address)
      guard case .success(let event) = result else { return }
      channel.bans[command.userID] = nil
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
