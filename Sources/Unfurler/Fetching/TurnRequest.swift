import Curl

/// A request of a user's, or of an operator's, that waits for its turn.
protocol TurnRequest: CurlQueueRequest {
  var requester: PreviewRequester { get }
  /// The site that it concerns, as in ``WebURL/siteKey``.
  var siteKey: String { get }
}

/// The places and waiting room of a queue.
struct TurnLimits {
  /// How many requests are active at a time.
  var active: Int
  /// How many of them concern one site.
  var activePerSite: Int
  /// How many of them are made for one user.
  var activePerUser: Int
  /// How many requests wait.
  var waiting: Int

  /// How many requests of one user wait: a tenth of them.
  var waitingPerUser: Int { max(1, waiting / 10) }

  init(active: Int, activePerSite: Int, activePerUser: Int, waiting: Int) {
    self.active = max(1, active)
    self.activePerSite = max(1, activePerSite)
    self.activePerUser = max(1, activePerUser)
    self.waiting = max(0, waiting)
  }

  func active(of requester: PreviewRequester) -> Int {
    switch requester {
    case .user: activePerUser
    case .operation: active
    }
  }

  func waiting(of requester: PreviewRequester) -> Int {
    switch requester {
    case .user: waitingPerUser
    case .operation: waiting
    }
  }
}
