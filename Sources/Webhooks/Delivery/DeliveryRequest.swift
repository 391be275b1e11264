import Store

/// A message from another thread to the loop that delivers.
enum DeliveryRequest: Sendable {
  /// The events that wait from before the start.
  case begin(OutboxContents)
  case queued([OutboxArrival])
  /// Other rules of posting hold; the URLs and the time limit of a request are the same.
  case configure(WebhookConfiguration)
  /// Other servers have put events into lanes.
  case hinted(OutboxLanes)
  case didSurvey([OutboxHold], Result<OutboxSurvey.Findings, StoreError>)
  case didClaim(Result<[OutboxHold], StoreError>)
  case didRead([DeliveryReading], Result<OutboxReading.Batches, StoreError>)
  case didAdvance([OutboxAdvance], Result<OutboxRemoval, StoreError>)
  case didTrim(Result<OutboxRemoval, StoreError>)
  case didExpire(Turn, asked: Int64?, Result<OutboxExpiry.Events?, StoreError>)
  case test(@Sendable ([WebhookTestResult]) -> Void)
  /// Tries what waits again.
  case retry
  case report(@Sendable ([ReceiverReport]) -> Void)
  /// Begins nothing more, and calls back when nothing is under way.
  case finish(@Sendable () -> Void)
}

/// A path's turn, and the stretch of its channel that is read for it.
struct DeliveryReading: Sendable {
  let turn: Turn
  let stretch: OutboxStretch
  /// The term of the channel's lane when it was read; 0 on a single server.
  let term: Int64
}
