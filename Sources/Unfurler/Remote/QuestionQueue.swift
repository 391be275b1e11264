/// Which question is asked next: the first that came, as long as not too many are being asked.
///
/// All operations but ``removeWaiting(where:)`` take constant time on average.
struct QuestionQueue {
  private let maximumActive: Int
  private var waiting: [UInt64: RemoteQuestion] = [:]
  /// Waiting questions in the order of their coming, among them some that wait no more.
  private var arrivals = ArrivalQueue<UInt64>()
  private var activeCount = 0

  init(maximumActive: Int) { self.maximumActive = max(1, maximumActive) }

  var waitingCount: Int { waiting.count }

  mutating func append(_ question: RemoteQuestion) {
    waiting[question.id] = question
    arrivals.append(question.id)
  }

  /// The next question that may be asked; it counts as active until ``finish()``.
  mutating func start() -> RemoteQuestion? {
    while activeCount < maximumActive, let id = arrivals.popFirst() {
      guard let question = waiting.removeValue(forKey: id) else { continue }
      activeCount += 1
      return question
    }
    return nil
  }

  /// A question that was asked has ended.
  mutating func finish() { activeCount -= 1 }

  /// Takes out the waiting question of this number.
  mutating func removeWaiting(_ id: UInt64) -> RemoteQuestion? {
    guard let question = waiting.removeValue(forKey: id) else { return nil }
    // Numbers of those who wait no more are dropped in one go when they have become the many.
    if arrivals.count > 2 * waiting.count + 64 {
      arrivals.removeAll { [waiting] in waiting[$0] == nil }
    }
    return question
  }

  /// Takes out all waiting questions that `isEnded` says, in the order of their numbers.
  mutating func removeWaiting(where isEnded: (RemoteQuestion) -> Bool) -> [RemoteQuestion] {
    let ended = waiting.values.filter(isEnded).map(\.id).sorted()
    return ended.compactMap { removeWaiting($0) }
  }
}
