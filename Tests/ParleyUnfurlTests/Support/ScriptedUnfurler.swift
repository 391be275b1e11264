import LinkPreview
import Synchronization
import TestPeers
import TestSupport
import Unfurler

/// An unfurler that answers when and as a test wants it to.
final class ScriptedUnfurler: Unfurler {
  /// A look-up that was asked for.
  struct LookUp: Sendable {
    let link: Link
    let deadline: Duration
    let completion: @Sendable (UnfurlReport) -> Void
  }

  private struct State {
    var lookUps: [LookUp] = []
    var cancelled: [String] = []
  }

  private let state = Mutex(State())
  private let answer: @Sendable (Link) -> UnfurlReport?

  /// - Parameter answer: What is answered at once, on the caller's thread; `nil` answers later.
  init(answer: @escaping @Sendable (Link) -> UnfurlReport? = { _ in nil }) { self.answer = answer }

  var lookUps: [LookUp] { state.withLock { $0.lookUps } }

  /// The links whose look-ups were called off.
  var cancelled: [String] { state.withLock { $0.cancelled } }

  func unfurl(
    _ link: Link, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    let lookUp = LookUp(link: link, deadline: deadline, completion: completion)
    state.withLock { $0.lookUps.append(lookUp) }
    if let report = answer(link) { completion(report) }
    return UnfurlTask { [weak self] in self?.state.withLock { $0.cancelled.append(link.url) } }
  }

  /// Leaves the answers to the test.
  func shutdown() {}

  /// Waits until so many look-ups have been asked for, and returns them.
  func waitForLookUps(_ count: Int) throws -> [LookUp] {
    try Deadline.standard.wait(for: "\(count) look-ups") { lookUps.count >= count }
    return lookUps
  }

  /// Waits until so many have been called off.
  func waitForCancellations(_ count: Int) throws {
    try Deadline.standard.wait(for: "\(count) cancellations") { cancelled.count >= count }
  }
}
