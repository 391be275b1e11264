import ParleyProtocol

/// The options of an outbox, with the callback for its reports.
package protocol ArrivalOptions: Sendable {
  associatedtype Arrival: Sendable

  /// Called after the commit that stored the arrivals, on the thread that wrote them.
  var didQueue: @Sendable ([Arrival]) -> Void { get }
}

/// A writer's side of what is delivered later: webhook events, and push jobs.
///
/// They are added in the transaction that creates them, and reported once it is durable. Confined to the
/// writer's thread.
final class Outbox<Options: ArrivalOptions> {
  let options: Options
  /// The trace of the call that is carried out.
  var trace: CallTrace?
  /// The additions of the current transaction.
  private var arrivals: [Options.Arrival] = []

  init(_ options: Options) {
    self.options = options
  }

  func add(_ arrival: Options.Arrival) { arrivals.append(arrival) }

  /// The position in the transaction, for `rollBack(to:)`.
  var mark: Int { arrivals.count }

  /// Discards what a write has added that was undone.
  func rollBack(to mark: Int) { arrivals.removeSubrange(mark...) }

  /// Reports what the transaction has added, once it is durable.
  func announce() {
    guard !arrivals.isEmpty else { return }
    options.didQueue(arrivals)
    arrivals = []
  }
}
