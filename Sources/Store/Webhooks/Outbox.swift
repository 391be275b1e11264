import ParleyProtocol

/// The writer's side of the outbox: events are put there in the transaction that makes them.
///
/// Confined to the writer thread.
final class Outbox {
  private let options: OutboxOptions
  /// The events that the present transaction has put there.
  private var arrivals: [OutboxArrival] = []

  init(_ options: OutboxOptions) {
    self.options = options
  }

  func wants(_ event: WebhookEvent) -> Bool { options.events.contains(event) }

  func participantCount(of channelURL: String) -> Int { options.participantCount(channelURL) }

  func add(_ arrival: OutboxArrival) { arrivals.append(arrival) }

  /// The number of events so far, for `rollBack(to:)`.
  var mark: Int { arrivals.count }

  /// Forgets what a job has put there that is undone.
  func rollBack(to mark: Int) { arrivals.removeSubrange(mark...) }

  /// Reports the events of a transaction, once it is durable.
  func announce() {
    guard !arrivals.isEmpty else { return }
    options.didQueue(arrivals)
    arrivals = []
  }
}
