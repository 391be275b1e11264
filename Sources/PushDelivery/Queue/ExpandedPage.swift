import ParleyProtocol
import Push
import Store

/// A page of a job's recipients, with the numbers of their unread messages.
struct ExpandedPage {
  let judged: JudgedPage
  let badges: [String: Int64]

  /// The pushes to the recipients' devices: one for each, and notices for those of the operator's service.
  func pushes(of job: PushJob, _ configuration: PushConfiguration) -> [QueuedPush] {
    guard let message = judged.message else { return [] }
    var pushes: [QueuedPush] = []
    var noticed: [(PushNotice.Recipient, [PushTarget])] = []
    for recipient in judged.recipients {
      let badge = badges[recipient.userID] ?? 0
      let notification = PushNotification(
        of: message, channelName: judged.channelName, badge: badge,
        preferences: recipient.preferences, texts: configuration.texts, template: job.template)
      var devices: [PushTarget] = []
      for token in recipient.tokens {
        let target = PushTarget(userID: recipient.userID, tokenID: token.id, token: token.token)
        guard let way = configuration.way(of: token.token.type) else { continue }
        switch way {
        case .url: devices.append(target)
        case .web, .apns, .fcm:
          let content: QueuedPush.Content =
            recipient.isSilent
            ? .silent(.badge(badge), target) : .message(notification, target)
          pushes.append(
            QueuedPush(
              content, by: way, for: .job(job.id), of: job, createdAt: message.createdAt))
        }
      }
      if !devices.isEmpty { noticed.append((recipient.noticed(devices, badge: badge), devices)) }
    }
    for start in stride(from: 0, to: noticed.count, by: PushNotice.recipientLimit) {
      let part = noticed[start..<min(noticed.count, start + PushNotice.recipientLimit)]
      let notice = PushNotice(
        of: message, channelName: judged.channelName, texts: configuration.texts,
        template: job.template, to: part.map(\.0))
      pushes.append(
        QueuedPush(
          .notice(notice, part.flatMap(\.1)), by: .url, for: .job(job.id), of: job,
          createdAt: message.createdAt))
    }
    return pushes
  }
}

extension JudgedPage.Recipient {
  fileprivate func noticed(_ devices: [PushTarget], badge: Int64) -> PushNotice.Recipient {
    PushNotice.Recipient(
      userID: userID, badge: badge, isSilent: isSilent, preferences: preferences,
      devices: devices.map { .init(type: $0.token.type, name: $0.token.address.name) })
  }
}
