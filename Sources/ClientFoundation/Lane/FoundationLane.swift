package import ClientTransport
internal import Dispatch

/// The lane on Foundation: a serial queue, and `URLSession` for connections and requests.
///
/// The lane of Apple's platforms. It compiles on Linux too, for tests.
package final class FoundationLane: Lane {
  /// The lane of the process for clients that are given no other.
  package static let shared = FoundationLane()

  private let queue = DispatchQueue(label: "parley-client")
  private let context: LaneBound<FoundationContext>

  package init() {
    context = LaneBound(FoundationContext(queue))
  }

  deinit {
    queue.async { [context] in context.value.stop() }
  }

  package func run(_ job: @escaping @Sendable (any LaneContext) -> Void) {
    queue.async { [context] in job(context.value) }
  }
}
