import ParleyProtocol
import Push
import Store

/// A request from another thread to the loop.
enum PushLoopRequest: Sendable {
  case queued([PushArrival])
  /// Other servers have added jobs to lanes.
  case hinted(OutboxLanes)
  case configure(PushConfiguration)
  case didReadJobs(Result<PushJobs, StoreError>, limit: Int)
  case didReadAudience(jobID: Int64, Result<PushAudience.Page, StoreError>)
  case didReadBadges(jobID: Int64, JudgedPage, Result<[String: Int64], StoreError>)
  case didRecord(PushLedger.Progress, Result<[OutboxHold], StoreError>)
  case didReadLanes(Result<[OutboxLaneRow], StoreError>)
  case didClaim(Result<[OutboxHold], StoreError>)
  case didCountTokens(Result<[PushTokenType: Int], StoreError>)
  case didCountBacklog(Result<PushBacklog, StoreError>)
  /// A user has read a channel on one device.
  case didRead(userID: String, channelURL: String)
  case clear(userID: String, channelURL: String, [PushToken], badge: Int64)
  /// The devices of a user could not be read, or there are none to clear.
  case didNotClear
  case test(userID: String, [PushToken], badge: Int64, @Sendable ([PushTestResult]) -> Void)
  case explain(
    userID: String, PushAudience.Page, @Sendable (PushExplanation) -> Void)
  case report(@Sendable (PushReport) -> Void)
  /// Starts no further requests, and calls back when none is in progress.
  case finish(@Sendable () -> Void)
}
