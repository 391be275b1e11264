import Store

/// A message from another thread to the loop that delivers.
enum DeliveryRequest: Sendable {
  /// The events that wait from before the start.
  case begin(OutboxContents)
  case queued([OutboxArrival])
  case didRead([DeliveryReading], Result<[[OutboxEvent]], StoreError>)
  case didAdvance([OutboxAdvance], Result<OutboxRemoval, StoreError>)
  case didTrim(Result<OutboxRemoval, StoreError>)
  case didExpire(Turn, asked: Int64?, Result<OutboxExpiry.Events?, StoreError>)
  case test(@Sendable ([WebhookTestResult]) -> Void)
  case report(@Sendable ([ReceiverReport]) -> Void)
  /// Begins nothing more, and calls back when nothing is under way.
  case finish(@Sendable () -> Void)
}

/// A lane's turn, and the stretch of its channel that is read for it.
struct DeliveryReading: Sendable {
  let turn: Turn
  let stretch: OutboxStretch
}
