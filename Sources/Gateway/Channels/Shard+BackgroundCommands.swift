import Channels
import Configuration
import ParleyProtocol
import Reactor
import Store

extension Shard {
  /// Carries out a command of a user, which is not from one of its connections, in a channel that is at
  /// home here.
  func perform(
    _ command: ChannelCommand, by user: User, inChannel url: String, replyTo address: PollAddress
  ) {
    channels.withChannel(url) { [unowned self] channel in
      do throws(ServiceError) {
        try channel.get().perform(command, inBackgroundOf: user) { channel, result in
          let epoch = channel.epoch
          channel.shard.answer(result.map { $0.encodedAsResult(epoch: epoch) }, to: address)
        }
      } catch {
        answer(.failure(error), to: address)
      }
    }
  }

  /// Shows a group again in the list of a member that may have hidden it.
  ///
  /// - Parameter completion: Called once, on this shard, whether there was something to do or not.
  func unhide(_ url: String, for user: User, then completion: @escaping () -> Void) {
    let command = ChannelCommand.group(.changeOwn(.unhide))
    send([GroupOrder(url, command)], by: user) { _ in completion() }
  }

  /// Marks groups as read by a joined member.
  ///
  /// - Parameter completion: Receives the first refusal, if any; the other groups are marked. Called
  ///   once, on this shard.
  func markRead(
    _ urls: [String], by user: User, then completion: @escaping (ServiceError?) -> Void
  ) {
    let command = ChannelCommand.group(.changeOwn(.markRead(upTo: nil)))
    send(urls.map { GroupOrder($0, command) }, by: user, then: completion)
  }

  /// Marks messages of groups as delivered to a client of a joined member.
  ///
  /// - Parameter completion: Receives the first refusal, if any; the other messages are marked. Called
  ///   once, on this shard.
  func markDelivered(
    _ groups: GroupsMarkDelivered, by user: User,
    then completion: @escaping (ServiceError?) -> Void
  ) {
    let orders = groups.parts.map {
      GroupOrder($0.channelURL, .group(.markDelivered(upTo: $0.messageID)))
    }
    send(orders, by: user, then: completion)
  }

  /// Marks all groups as read that a user has joined.
  ///
  /// - Parameter completion: Called once, on this shard.
  func markAllRead(
    by user: User, for caller: QueryCaller,
    then completion: @escaping @Sendable (Shard, Result<Void, ServiceError>) -> Void
  ) {
    let (services, path) = (services, returnPath)
    services.store.perform(UnreadGroups(of: user.id), for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      path.resume { shard in
        switch result.serviceResult {
        case .success(let urls):
          shard.markRead(urls, by: user) { [unowned shard] error in
            // A group that the user has left meanwhile needs no position.
            let isLeft = error.map { [.notFound, .notInChannel].contains($0.code) } ?? true
            completion(shard, isLeft ? .success(()) : .failure(error ?? .internalError))
          }
        case .failure(let error): completion(shard, .failure(error))
        }
      }
    }
  }

  /// Sends a user's commands that may be repeated to the homes of groups.
  ///
  /// - Parameters:
  ///   - deadline: The time of the loop until which lost commands are repeated, with several servers.
  ///   - completion: Receives the first refusal, if any. Called once, on this shard.
  private func send(
    _ orders: [GroupOrder], by user: User, until deadline: Int64? = nil,
    then completion: @escaping (ServiceError?) -> Void
  ) {
    let deadline = deadline ?? loop.now + settings.cluster.callTimeoutMilliseconds
    let time = edge == nil ? nil : max(deadline - loop.now, 1)
    poll(count: orders.count, within: time) { part, address in
      let order = orders[part]
      return .channel(url: order.url, .background(order.command, by: user, replyTo: address))
    } then: { [unowned self] answers in
      let refusals = answers.compactMap { answer -> ServiceError? in
        if case .outcome(.failure(let error)) = answer { error } else { nil }
      }
      guard answers.count == orders.count else { return completion(.homeIsMissing) }
      guard refusals.contains(where: \.isMoved) else { return completion(refusals.first) }
      guard loop.now < deadline else { return completion(.homeIsMissing) }
      // The homes of some groups have moved.
      let repetition = Repetition { [unowned self] in
        send(orders, by: user, until: deadline, then: completion)
      }
      _ = loop.schedule(after: Repetition.pause, repetition)
    }
  }

  private func answer(_ outcome: CallOutcome, to address: PollAddress) {
    send(.shard(address.shard, .answer(.outcome(outcome), to: address)))
  }
}

/// A command for a group.
private struct GroupOrder {
  let url: String
  let command: ChannelCommand

  init(_ url: String, _ command: ChannelCommand) {
    self.url = url
    self.command = command
  }
}

/// The repetition of a command whose group has moved.
private final class Repetition: TimerHandler {
  /// Milliseconds until the command is sent again.
  static let pause: Int64 = 50

  private let body: () -> Void

  init(_ body: @escaping () -> Void) {
    self.body = body
  }

  func timerDidFire(_ token: EventLoop.TimerToken) { body() }
}
