import ParleyProtocol

/// The connections for which a stage awaits a decision of the channel's home.
struct StageAdmissions: Sendable {
  private var asked: [(number: UInt64, request: EnterRequest)] = []
  /// The last assigned number.
  private var lastNumber: UInt64 = 0

  var isEmpty: Bool { asked.isEmpty }

  /// Starts a request to admit a connection.
  mutating func ask(about request: EnterRequest) -> StageReport {
    lastNumber += 1
    asked.append((lastNumber, request))
    return .admit(lastNumber, request.principal)
  }

  /// The requests that a new home has to answer, in order.
  var questions: [StageReport] { asked.map { .admit($0.number, $0.request.principal) } }

  /// Handles the home's answer.
  ///
  /// - Returns: The connection; `nil` if there is no request with this number.
  mutating func take(_ number: UInt64) -> EnterRequest? {
    asked.firstIndex { $0.number == number }.map { asked.remove(at: $0).request }
  }

  /// Cancels all requests, and returns their connections in order.
  mutating func removeAll() -> [EnterRequest] {
    defer { asked = [] }
    return asked.map(\.request)
  }
}
