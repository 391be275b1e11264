import Store

/// A message from another thread to the loop that delivers.
enum DeliveryRequest: Sendable {
  /// The events that wait from before the start.
  case begin(OutboxContents)
  case queued([OutboxArrival])
  case didRead([DeliveryReading], Result<[[OutboxEvent]], any Error>)
  case didAdvance([OutboxAdvance], Result<OutboxRemoval, any Error>)
  case didTrim(Result<OutboxRemoval, any Error>)
  case didExpire(Turn, asked: Int64?, Result<Expiry?, any Error>)
  case test(@Sendable ([WebhookTestResult]) -> Void)
  case report(@Sendable ([ReceiverReport]) -> Void)
  /// Begins nothing more, and calls back when nothing is under way.
  case finish(@Sendable () -> Void)

  /// Events of a lane that were given up.
  struct Expiry: Sendable {
    let count: Int
    let through: Int64
    let removal: OutboxRemoval
  }
}

/// A lane's turn, and the stretch of its channel that is read for it.
struct DeliveryReading: Sendable {
  let turn: Turn
  let stretch: OutboxStretch
}
