import Channels
import ParleyProtocol
import Push
import Store

/// Pushes without a job: tests by operators, and those that clear what was read; and reports.
extension PushLoop {
  var report: PushReport {
    let isOn: [PushWay: Bool] = [
      .web: configuration.web != nil, .apns: configuration.apple != nil,
      .fcm: configuration.firebase != nil, .url: configuration.service != nil,
    ]
    let ways = health.filter { isOn[$0.way] == true }.map { health in
      PushReport.Way(
        way: health.way, lastSuccess: health.lastSuccess, lastFailure: health.lastFailure?.time,
        reason: health.lastFailure?.reason ?? "")
    }
    return PushReport(
      ways: ways, backlog: counters.backlog, oldest: counters.oldest,
      waitingCount: queue.waitingCount, inFlightCount: queue.inFlightCount,
      pausedHosts: circuits.states.filter(\.isPaused).map(\.host))
  }

  /// Sends a test to a user's devices, ahead of the pushes that wait.
  func startTest(
    of userID: String, _ tokens: [PushToken], badge: Int64,
    _ completion: @escaping @Sendable ([PushTestResult]) -> Void
  ) {
    let test = PushTest(tokens, completion: completion)
    let time = configuration.clock()
    for (index, token) in tokens.enumerated() {
      let target = PushTarget(userID: userID, tokenID: nil, token: token)
      guard ending == nil else {
        test.skip("the server stops", at: index)
        continue
      }
      guard let way = configuration.way(of: token.type) else {
        test.skip("no way is set for the type \(token.type.rawValue)", at: index)
        continue
      }
      let content: QueuedPush.Content
      let notification = PushNotification(
        testWithID: time, badge: badge, texts: configuration.texts, at: time)
      switch way {
      case .web, .apns, .fcm: content = .message(notification, target)
      case .url: content = .notice(notice(of: notification, to: target), [target])
      }
      let push = QueuedPush(
        content, by: way, for: .test(test, index: index), createdAt: time)
      if let host = senders.host(of: push) {
        queue.prepend(push, to: push.line, host: host)
      } else {
        test.skip("the endpoint is no URL", at: index)
      }
    }
  }

  /// Ends the test of a device whose push is not sent.
  func abandonTest(_ push: QueuedPush) {
    guard case .test(let test, let index) = push.purpose else { return }
    test.skip("the server stops", at: index)
  }

  /// The message is an admin message that belongs to no channel.
  private func notice(of notification: PushNotification, to target: PushTarget) -> PushNotice {
    let message = Message(
      id: notification.messageID, type: .admin, channelURL: "", user: nil, text: notification.body,
      createdAt: notification.createdAt)
    let device = PushNotice.Recipient.Device(
      type: target.token.type, name: target.token.address.name)
    let recipient = PushNotice.Recipient(
      userID: target.userID, badge: notification.badge, isSilent: false,
      preferences: PushPreferences(), devices: [device])
    return PushNotice(
      of: message, channelName: "", texts: configuration.texts, template: nil, to: [recipient])
  }

  /// The judgement of a message for a user whose audience was read.
  func explanation(of page: PushAudience.Page, for userID: String) -> PushExplanation {
    let devices = (page.recipients.first?.tokens ?? []).map { stored in
      PushExplanation.Device(
        type: stored.token.type, token: stored.token.suffix,
        way: configuration.way(of: stored.token.type), lastSuccessAt: stored.token.lastSuccessAt)
    }
    let time = configuration.clock()
    guard let facts = page.facts else {
      return PushExplanation(refusal: .deleted, devices: devices)
    }
    guard let recipient = page.recipients.first?.recipient else {
      let refusal = configuration.rules.refusal(of: facts, at: time)
      return PushExplanation(refusal: refusal ?? .noToken, devices: [])
    }
    let refusal = judge.refusal(of: facts, to: recipient, .user(userID), at: time)
    return PushExplanation(refusal: refusal, devices: devices)
  }

  /// Notes that a user has read a channel on one device.
  func didRead(_ userID: String, _ channelURL: String) {
    guard configuration.clearsOnRead, ending == nil,
      PushTokenType.clearable.contains(where: { configuration.way(of: $0)?.isSilent == true })
    else { return }
    clearing.add(userID, channelURL: channelURL, at: now)
  }

  /// Reads the devices of the users whose time has come.
  func startClearing() {
    while let (userID, channelURL) = clearing.next(at: now) {
      let (door, store) = (door, store)
      store.perform(PushTokens(of: userID)) { result in
        let tokens = ((try? result.get()) ?? []).filter {
          PushTokenType.clearable.contains($0.type)
        }
        guard !tokens.isEmpty else {
          door.post(.didNotClear)
          return
        }
        store.perform(PushBadges(of: [userID]), for: .server) { result, _ in
          guard case .success(let badges) = result, let badge = badges[userID] else {
            door.post(.didNotClear)
            return
          }
          door.post(.clear(userID: userID, channelURL: channelURL, tokens, badge: badge))
        }
      }
    }
  }

  func clear(_ userID: String, _ channelURL: String, _ tokens: [PushToken], badge: Int64) {
    clearing.didEndReading()
    guard ending == nil else { return }
    for token in tokens {
      guard let way = configuration.way(of: token.type), way.isSilent else { continue }
      let target = PushTarget(userID: userID, tokenID: nil, token: token)
      let push = QueuedPush(
        .silent(.read(channelURL: channelURL, badge: badge), target), by: way, for: .clearing,
        createdAt: configuration.clock())
      guard let host = senders.host(of: push), !queue.isStalled(host, at: now),
        queue.count < configuration.queueLimit
      else { continue }
      queue.append(push, to: push.line, host: host)
    }
  }
}

extension PushTokenType {
  /// Those whose devices change a badge without showing a push.
  fileprivate static let clearable: Set<PushTokenType> = [.apns, .gcm]
}

extension PushWay {
  /// Whether pushes without an alert are sent this way.
  fileprivate var isSilent: Bool {
    switch self {
    case .apns, .fcm: true
    case .web, .url: false
    }
  }
}
