/// A request for thumbnails of a file.
package struct ThumbnailRequest: Hashable, Sendable {
  package let id: ThumbnailRequestID
  package let requester: ThumbnailRequester
  /// The key of the file's content.
  package let file: String
  package let boxes: [ThumbnailBox]

  package init(
    id: ThumbnailRequestID, for requester: ThumbnailRequester, file: String, boxes: [ThumbnailBox]
  ) {
    self.id = id
    self.requester = requester
    self.file = file
    self.boxes = boxes
  }
}

/// The party for which thumbnails are made; jobs are scheduled round-robin over parties.
package enum ThumbnailRequester: Hashable, Sendable {
  /// A user, by id.
  case user(String)
  /// A client without a session, by the network of its address.
  case visitor(String)
  /// The operator of the deployment, and programs that act for the operator.
  case operation
}

/// The number of a request, assigned by the host.
package struct ThumbnailRequestID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The number of a job: the work on one file by one child process.
package struct ThumbnailJobID: Hashable, Sendable, Comparable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// The inputs of a ``ThumbnailQueue``.
package enum ThumbnailInput: Hashable, Sendable {
  case request(ThumbnailRequest)
  /// The file was deleted, and the requests for its thumbnails must be answered.
  case forget(file: String)
  /// The child process of a job has ended.
  case ended(ThumbnailJobID, ThumbnailResult)
  /// A deadline requested by the queue has passed.
  case deadline
  /// No more thumbnails are made.
  case close
}

/// The actions of a ``ThumbnailQueue``, in order.
package enum ThumbnailAction: Hashable, Sendable {
  case start(ThumbnailJobID, file: String, boxes: [ThumbnailBox])
  /// Kill the child process; its end is reported later.
  case kill(ThumbnailJobID)
  case answer(ThumbnailRequestID, ThumbnailResult)
  /// A ``ThumbnailInput/deadline`` is due at this time.
  case wake(at: Int64)
}

/// The figures shown by metrics.
package struct ThumbnailFigures: Hashable, Sendable {
  package var queued = 0
  package var running = 0
  package var outcomes: [ThumbnailOutcome: Int] = [:]

  package init(queued: Int = 0, running: Int = 0, outcomes: [ThumbnailOutcome: Int] = [:]) {
    self.queued = queued
    self.running = running
    self.outcomes = outcomes
  }
}
