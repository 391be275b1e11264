import ParleyProtocol
import Push
import Store

/// A request to be made: a push to one device, or a notice to the operator's own service.
struct QueuedPush {
  /// The reason for the push, which determines the consequences of its outcome.
  enum Purpose {
    /// A job of the store, by its number.
    case job(Int64)
    case test(PushTest, index: Int)
    /// The user has read on another device.
    case clearing
  }

  enum Content {
    case message(PushNotification, PushTarget)
    case silent(SilentPush, PushTarget)
    case notice(PushNotice, [PushTarget])
  }

  let purpose: Purpose
  let way: PushWay
  let content: Content
  /// The job; of another purpose, one that is not in the store.
  let job: PushJob?
  var attempts: PushAttempts
  /// The time of the message in Unix milliseconds.
  let createdAt: Int64

  init(
    _ content: Content, by way: PushWay, for purpose: Purpose, of job: PushJob? = nil,
    createdAt: Int64
  ) {
    self.content = content
    self.way = way
    self.purpose = purpose
    self.job = job
    self.createdAt = createdAt
    attempts = PushAttempts(createdAt: createdAt, failures: job?.failures ?? 0)
  }

  /// The devices that get the push.
  var targets: [PushTarget] {
    switch content {
    case .message(_, let target), .silent(_, let target): [target]
    case .notice(_, let targets): targets
    }
  }

  var line: PushLine {
    switch content {
    case .message(_, let target), .silent(_, let target):
      .device(target.token.type, name: target.token.address.name)
    case .notice(let notice, _): .service(channelURL: notice.message.channelURL)
    }
  }
}

/// A device that gets a push.
struct PushTarget: Sendable {
  let userID: String
  /// The store's number of the token; `nil` when it is not known.
  let tokenID: Int64?
  let token: PushToken
}
