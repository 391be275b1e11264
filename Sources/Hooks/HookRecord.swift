package import ParleyProtocol
import Reactor
import Synchronization

/// Counts and the state of hooks, for metrics and operators; usable from any thread.
package final class HookRecord: Sendable {
  /// The state of one hook.
  package struct State: Sendable, Hashable {
    package var outcomes: [HookOutcome: Int] = [:]
    package var isCircuitOpen = false
    /// Unix milliseconds; `nil` for never.
    package var lastAnswer: Int64?
    package var lastFailure: Int64?
    /// The reason for the last failure.
    package var problem = ""
  }

  package struct Figures: Sendable {
    package var hooks: [HookName: State] = [:]
    package var waiting = 0
    package var running = 0
  }

  private let figures: Mutex<Figures>

  init(_ hooks: some Sequence<HookName>) {
    var figures = Figures()
    for hook in hooks { figures.hooks[hook] = State() }
    self.figures = Mutex(figures)
  }

  var current: Figures { figures.withLock { $0 } }

  func count(_ outcome: HookOutcome, of hook: HookName) {
    figures.withLock { $0.hooks[hook]?.outcomes[outcome, default: 0] += 1 }
  }

  func note(_ problem: HookProblem, of hook: HookName) {
    let now = SystemClock.unixMilliseconds
    figures.withLock {
      $0.hooks[hook]?.lastFailure = now
      $0.hooks[hook]?.problem = problem.description
    }
  }

  func noteAnswer(of hook: HookName) {
    let now = SystemClock.unixMilliseconds
    figures.withLock { $0.hooks[hook]?.lastAnswer = now }
  }

  func lastProblem(of hook: HookName) -> String {
    figures.withLock { $0.hooks[hook]?.problem ?? "" }
  }

  func publish(waiting: Int, running: Int, open: Set<HookName>) {
    figures.withLock { figures in
      figures.waiting = waiting
      figures.running = running
      for hook in figures.hooks.keys {
        figures.hooks[hook]?.isCircuitOpen = open.contains(hook)
      }
    }
  }
}
