import LinkPreview
import ParleyProtocol
import Synchronization

@testable import Unfurler

/// An unfurler that answers when a test says so.
final class ScriptedUnfurler: Unfurler {
  typealias Completion = @Sendable (UnfurlReport) -> Void

  private struct State {
    var links: [Link] = []
    var deadlines: [Duration] = []
    var cancelled: [Link] = []
    var completions: [Link: [Completion]] = [:]
  }

  private let state = Mutex(State())

  /// What was asked for, in order.
  var links: [Link] { state.withLock { $0.links } }
  /// The time that each of them had.
  var deadlines: [Duration] { state.withLock { $0.deadlines } }
  var cancelled: [Link] { state.withLock { $0.cancelled } }

  func unfurl(
    _ link: Link, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    state.withLock { state in
      state.links.append(link)
      state.deadlines.append(deadline)
      state.completions[link, default: []].append(completion)
    }
    return UnfurlTask { [self] in state.withLock { $0.cancelled.append(link) } }
  }

  /// Answers whoever asked for `link` first and has had no answer.
  func answer(_ link: Link, with result: Result<OpenGraphTag?, UnfurlError>) {
    let isCancelled = result == .failure(.cancelled)
    answer(link, UnfurlReport(result, freshness: isCancelled ? .unkept : .unspecified))
  }

  func answer(_ link: Link, _ report: UnfurlReport) {
    let completion = state.withLock { state -> Completion? in
      guard state.completions[link]?.isEmpty == false else { return nil }
      return state.completions[link]?.removeFirst()
    }
    completion?(report)
  }

  func shutdown() {
    let waiting = state.withLock { state in
      defer { state.completions = [:] }
      return state.completions.values.flatMap { $0 }
    }
    for completion in waiting { completion(.cancelled) }
  }
}
