import ParleyProtocol

/// The connections about which a stage asks the channel's home, until that has answered.
struct StageAdmissions: Sendable {
  private var asked: [(number: UInt64, request: EnterRequest)] = []
  /// The last number that was given.
  private var lastNumber: UInt64 = 0

  var isEmpty: Bool { asked.isEmpty }

  /// Begins to ask about a connection.
  mutating func ask(about request: EnterRequest) -> StageReport {
    lastNumber += 1
    asked.append((lastNumber, request))
    return .admit(lastNumber, request.principal.user)
  }

  /// The questions that a new home has to answer, in order.
  var questions: [StageReport] { asked.map { .admit($0.number, $0.request.principal.user) } }

  /// Takes in that the home has answered.
  ///
  /// - Returns: The connection; `nil` when it was not asked about by this number.
  mutating func take(_ number: UInt64) -> EnterRequest? {
    asked.firstIndex { $0.number == number }.map { asked.remove(at: $0).request }
  }

  /// Gives up all questions, and hands over their connections in order.
  mutating func removeAll() -> [EnterRequest] {
    defer { asked = [] }
    return asked.map(\.request)
  }
}
