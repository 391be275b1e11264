import Store

/// A request from another thread to the delivery loop.
enum DeliveryRequest: Sendable {
  /// The events waiting since before the start.
  case begin(OutboxContents)
  case queued([OutboxArrival])
  /// Other rules for posting apply; the URLs and the time limit of a request are the same.
  case configure(WebhookConfiguration)
  /// Other servers have added events to lanes.
  case hinted(OutboxLanes)
  case didSurvey([OutboxHold], Result<OutboxSurvey.Findings, StoreError>)
  case didClaim(Result<[OutboxHold], StoreError>)
  case didRead([DeliveryReading], Result<OutboxReading.Batches, StoreError>)
  case didAdvance([OutboxAdvance], Result<OutboxRemoval, StoreError>)
  case didTrim(Result<OutboxRemoval, StoreError>)
  case didExpire(Turn, asked: Int64?, Result<OutboxExpiry.Events?, StoreError>)
  case test(@Sendable ([WebhookTestResult]) -> Void)
  /// Retries waiting events.
  case retry
  case report(@Sendable ([ReceiverReport]) -> Void)
  /// Starts no more requests, and calls back when none is in progress.
  case finish(@Sendable () -> Void)
}

/// A path's turn, and the range of its channel that is read for it.
struct DeliveryReading: Sendable {
  let turn: Turn
  let stretch: OutboxStretch
  /// The term of the channel's lane when it was read; 0 on a single server.
  let term: Int64
}
