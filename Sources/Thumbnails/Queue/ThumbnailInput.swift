/// A request for thumbnails of a file.
package struct ThumbnailRequest: Hashable, Sendable {
  package let id: ThumbnailRequestID
  package let requester: ThumbnailRequester
  /// The name that stands for the content of the file.
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

/// The party for which thumbnails are made; parties take turns.
package enum ThumbnailRequester: Hashable, Sendable {
  /// A user, by id.
  case user(String)
  /// Someone without a session, by the network of their address.
  case visitor(String)
  /// The operator of the deployment, and programs that act for the operator.
  case operation
}

/// The number of a request, given by its host.
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
  /// The file is gone, and whoever waits for its thumbnails is to be answered.
  case forget(file: String)
  /// The child of a job is gone.
  case ended(ThumbnailJobID, ThumbnailResult)
  /// A time for which the queue asked has come.
  case deadline
  /// Nothing more is made.
  case close
}

/// The actions of a ``ThumbnailQueue``, in their order.
package enum ThumbnailAction: Hashable, Sendable {
  case start(ThumbnailJobID, file: String, boxes: [ThumbnailBox])
  /// The child is to be killed; its end is still to be reported.
  case kill(ThumbnailJobID)
  case answer(ThumbnailRequestID, ThumbnailResult)
  /// A ``ThumbnailInput/deadline`` is due at this time.
  case wake(at: Int64)
}

/// The numbers that metrics show.
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
