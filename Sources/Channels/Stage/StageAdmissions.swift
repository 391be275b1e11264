import ParleyProtocol

/// The connections about which a stage asks the channel's home, until they have entered or do not enter.
struct StageAdmissions: Sendable {
  /// The connections about which the home was asked, in order.
  private var asked: [(number: UInt64, request: EnterRequest)] = []
  /// The admissions that were granted and are not settled.
  private var granted: [(number: UInt64, user: User)] = []
  /// The last number that was given.
  private(set) var lastNumber: UInt64 = 0
  /// The servers that go on from the windows of users who have left, and the last number before that;
  /// until the home is known to have heard it.
  private var heirs: [String: (servers: [UInt16], number: UInt64)] = [:]

  /// Whether the home has answered all questions.
  var isAnswered: Bool { asked.isEmpty }

  /// Whether all granted admissions are settled.
  var isSettled: Bool { granted.isEmpty }

  /// Whether the home was asked about a user and has not answered.
  func isAsked(about userID: String) -> Bool {
    asked.contains { $0.request.principal.user.id == userID }
  }

  // MARK: Asking

  /// Begins to ask about a connection.
  mutating func ask(about request: EnterRequest) -> StageReport {
    let number = next()
    asked.append((number, request))
    return .admit(number, request.principal.user)
  }

  /// The questions that a new home has to answer.
  var questions: [StageReport] { asked.map { .admit($0.number, $0.request.principal.user) } }

  /// Asks about a user's connections anew.
  mutating func askAgain(about userID: String) -> [StageReport] {
    var reports: [StageReport] = []
    for index in asked.indices where asked[index].request.principal.user.id == userID {
      reports.append(.settled(asked[index].number, userID: userID))
      asked[index].number = next()
      reports.append(.admit(asked[index].number, asked[index].request.principal.user))
    }
    return reports
  }

  /// Notes that a user has left whose window these servers go on from.
  mutating func noteLeft(_ userID: String, heirs servers: [UInt16]) {
    heirs[userID] = servers.isEmpty ? nil : (servers, lastNumber)
  }

  /// The reports of users who have left that may be lost: a home that does not know the heirs may begin
  /// another window of such a user.
  ///
  /// - Parameter isHere: Whether a user has come back.
  func lostReports(isHere: (String) -> Bool) -> [StageReport] {
    heirs.keys.sorted().compactMap { userID in
      guard let servers = heirs[userID]?.servers, !isHere(userID) else { return nil }
      return .left(userID: userID, heirs: servers)
    }
  }

  private mutating func next() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Answers

  /// Takes in that the home has answered: the admission is granted until ``settle(isEntering:)``.
  ///
  /// - Returns: The connection; `nil` when it was not asked about by this number.
  mutating func grant(_ number: UInt64) -> EnterRequest? {
    guard let index = asked.firstIndex(where: { $0.number == number }) else { return nil }
    let request = asked.remove(at: index).request
    // The home was asked after it was sent these.
    if !heirs.isEmpty { heirs = heirs.filter { $0.value.number >= number } }
    granted.append((number, request.principal.user))
    return request
  }

  /// Gives up all questions, and hands over their connections.
  mutating func giveUp() -> [EnterRequest] {
    defer { asked = [] }
    return asked.map(\.request)
  }

  /// Gives users numbers who were let in beside the home and have not entered.
  mutating func name(_ users: [User]) {
    let named = Set(granted.map(\.user.id))
    for user in users where !named.contains(user.id) { granted.append((next(), user)) }
  }

  /// Forgets the admissions whose connections have entered or do not enter, and reports them.
  mutating func settle(isEntering: (String) -> Bool) -> [StageReport] {
    let over = granted.filter { !isEntering($0.user.id) }
    granted.removeAll { !isEntering($0.user.id) }
    return over.map { .settled($0.number, userID: $0.user.id) }
  }

  /// The connections that have not entered.
  ///
  /// - Parameter asksForWindow: Whether another stage was asked for a user's window.
  func claims(asksForWindow: (String) -> Bool) -> [EntryClaim] {
    granted.map { number, user in
      EntryClaim(
        number: number, userID: user.id, standing: asksForWindow(user.id) ? .awaiting : .holding)
    }
      + asked.map {
        EntryClaim(number: $0.number, userID: $0.request.principal.user.id, standing: .asking)
      }
  }
}
