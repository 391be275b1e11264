import Configuration
import ParleyProtocol
import Store
import Webhooks

extension HomeChannel {
  /// Has webhooks told of an event of an ephemeral channel, which the store has no record of.
  ///
  /// It takes its way to the disk alone: a crash may lose it, as it loses the message.
  func queueWebhook(
    _ kind: WebhookEvent, seq: Int64, at timestamp: Int64, _ notification: [UInt8]
  ) {
    guard record.isEphemeral, let webhooks = services.webhooks,
      services.settings.webhooks.events.contains(kind)
    else { return }
    let url = url
    services.store.write {
      try $0.queueWebhookEvent(
        kind, channelURL: url, seq: seq, at: timestamp,
        event: WebhookEncoder.event(kind, from: notification))
    } completion: { result in
      if case .failure = result { webhooks.counters.add(1, to: .lost) }
    }
  }
}
