import Channels
import ParleyProtocol
import Store

extension HomeChannel {
  func mute(
    _ command: ChannelRestriction, by actor: Principal,
    then answer: @escaping Answer<ImposedRestriction>
  ) {
    impose(Restriction(command, from: now), .announcement, by: actor, then: answer) {
      transaction, url, restriction in
      try transaction.mute(channelURL: url, restriction)
    } inForce: { channel, restriction in
      channel.mutes[restriction.userID] = restriction
    }
  }

  func unmute(_ userID: String, by actor: Principal, then answer: @escaping Answer<Lifting>) {
    lift(by: actor, then: answer) { transaction, url, now in
      try transaction.unmute(channelURL: url, userID: userID, at: now)
    } inForce: { channel in
      channel.mutes[userID] = nil
    }
  }

  /// Bans a user, who is told and then put out.
  func ban(
    _ command: ChannelRestriction, by actor: Principal,
    then answer: @escaping Answer<ImposedRestriction>
  ) {
    ban(Restriction(command, from: now), by: actor, then: answer)
  }

  /// Bans a user until a certain time.
  func ban(
    _ restriction: Restriction, by actor: Principal,
    then answer: @escaping Answer<ImposedRestriction>
  ) {
    let subject = ChannelEvent.Subject.expulsion(ofUser: restriction.userID)
    impose(restriction, subject, by: actor, then: answer) { transaction, url, restriction in
      try transaction.ban(channelURL: url, restriction)
    } inForce: { channel, restriction in
      channel.bans[restriction.userID] = restriction
    }
  }

  func unban(_ userID: String, by actor: Principal, then answer: @escaping Answer<Lifting>) {
    lift(by: actor, then: answer) { transaction, url, now in
      try transaction.unban(channelURL: url, userID: userID, at: now)
    } inForce: { channel in
      channel.bans[userID] = nil
    }
  }

  /// Stores a restriction, publishes it, and goes on with it in force.
  private func impose(
    _ restriction: Restriction, _ subject: ChannelEvent.Subject, by actor: Principal,
    then answer: @escaping Answer<ImposedRestriction>,
    _ job: @escaping @Sendable (WriteTransaction, String, Restriction) throws -> RecordedEvent,
    inForce: @escaping @Sendable (HomeChannel, Restriction) -> Void
  ) {
    let place: FloodPlace?
    do throws(ServiceError) {
      try requireOperating(actor)
      place = try takeChange(actor, bytes: restriction.description.utf8.count)
    } catch {
      return answer(self, .failure(error))
    }
    let url = url
    write {
      let event = try job($0, url, restriction)
      let user = try $0.user(restriction.userID) ?? User(id: restriction.userID)
      return (event: event, user: user)
    } then: { channel, result in
      answer(
        channel, result.map { ImposedRestriction(user: $0.user, restriction: restriction) })
      guard case .success(let imposed) = result else { return channel.giveBack(place) }
      channel.settle(place, bytes: channel.tell(imposed.event, subject))
      inForce(channel, restriction)
    }
  }

  /// Takes a restriction back; there is nothing to tell when there was none.
  private func lift(
    by actor: Principal, then answer: @escaping Answer<Lifting>,
    _ job: @escaping @Sendable (WriteTransaction, String, Int64) throws -> RecordedEvent?,
    inForce: @escaping @Sendable (HomeChannel) -> Void
  ) {
    let place: FloodPlace?
    do throws(ServiceError) {
      try requireOperating(actor)
      place = try takeChange(actor)
    } catch {
      return answer(self, .failure(error))
    }
    let url = url
    let now = now
    write {
      try job($0, url, now)
    } then: { channel, result in
      answer(channel, result.map { $0 == nil ? .nothingToLift : .lifted })
      guard case .success(let event) = result else { return channel.giveBack(place) }
      inForce(channel)
      if let event { channel.tell(event, .announcement) } else { channel.giveBack(place) }
    }
  }
}

/// A mute or ban with the user that it is put on.
struct ImposedRestriction: Sendable {
  let user: User
  let restriction: Restriction
}

/// What taking a restriction back came to.
enum Lifting: Sendable {
  case lifted
  case nothingToLift
}

extension Restriction {
  fileprivate init(_ command: ChannelRestriction, from now: Int64) {
    self.init(
      userID: command.userID, startsAt: now, endsAt: now + command.durationMilliseconds,
      description: command.description)
  }
}
