import Reactor

/// The one timer of a connection, and its purpose.
struct ConnectionTimer {
  /// The purpose of the timer.
  enum Deadline {
    /// The head of a request is due.
    case head
    /// The next of a body is due, and at this time of the loop's all of it.
    case body(end: Int64)
    /// More of a file must have been written than what left this many bytes of it waiting.
    case progress(Int64)
    /// The next ping is due, or something must have come since one that stayed unanswered.
    case liveness(nextPing: Int64, unanswered: Int64?)
    /// The peer's end is due.
    case close
  }

  /// The timer; `nil` when none is set.
  private(set) var token: EventLoop.TimerToken?
  private var deadline = Deadline.head

  /// Sets the timer, in place of the one that is set.
  mutating func set(
    _ deadline: Deadline, after delay: Int64, on loop: EventLoop, for handler: any TimerHandler
  ) {
    cancel(on: loop)
    self.deadline = deadline
    token = loop.schedule(after: delay, handler)
  }

  mutating func cancel(on loop: EventLoop) {
    if let token { loop.cancel(token) }
    token = nil
  }

  /// Takes note that a timer has fired.
  ///
  /// - Returns: `nil` when it is not the one that is set.
  mutating func fire(_ fired: EventLoop.TimerToken) -> Deadline? {
    guard fired == token else { return nil }
    token = nil
    return deadline
  }
}
