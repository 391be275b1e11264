/// The servers that a group's home is asking whether members are connected there.
///
/// A server is asked when the group is loaded, when a user joins, and when a member's session opens
/// there. Until it has answered everything, the news that it would otherwise miss are kept for it: a
/// server with connections receives them first, and one without is left out. A pure value.
///
///     begin ──► question ──► server ── connections ──► present, with the news
///                               └───── none ─────────► the next question, or absent
struct MemberSearches: Sendable {
  /// An answer's consequence for the server that gave it.
  enum Verdict {
    /// Further questions are open.
    case unknown
    /// The stage with this attachment receives the news, and all later ones.
    case present(attachment: UInt64, news: [StageNews])
    /// No member is connected there; only the outcomes of calls are for the server.
    case absent(answers: [StageNews])
  }

  /// Users to ask a server about.
  struct Subject: Sendable {
    let userIDs: [String]
    /// See ``MemberQuestion/areSeated``.
    let areSeated: Bool
  }

  private struct Search: Sendable {
    let start: StageStart
    /// The news since the start, which they begin with.
    var news: [StageNews]
    /// Whether there were too many news: the stage reads the events from the log.
    var isOverfull = false
    /// The number of the open question.
    var number: UInt64
    var subject: Subject
    /// The subjects of the next questions.
    var waiting: [Subject]
    /// The attachment of the server's stage, once it is known to have connections.
    var attachment: UInt64?
  }

  /// The maximum number of news that are kept for a server.
  private static let newsLimit = 2_000

  private var searches: [UInt16: Search] = [:]
  /// The questions that were not sent yet.
  private var questions: [(server: UInt16, question: MemberQuestion)] = []
  private var lastNumber: UInt64

  /// - Parameter life: A number that is different for each home of the group.
  init(life: UInt64) {
    // Questions of several homes may be under way at once.
    lastNumber = life &* MemberQuestion.numbersOfHome
  }

  var isEmpty: Bool { searches.isEmpty }

  func isAsking(_ server: UInt16) -> Bool { searches[server] != nil }

  /// Whether the stage with this address waits for the end of the questions to its server.
  func isKeepingNews(for address: StageAddress) -> Bool {
    searches[address.server]?.attachment == address.attachment
  }

  /// Whether questions wait to be sent.
  var hasQuestions: Bool { !questions.isEmpty }

  /// Asks a server about users, one subject after the other, after all that it is being asked.
  ///
  /// - Parameter start: The group before everything that the server could miss.
  mutating func begin(
    _ subjects: [Subject], on server: UInt16, from start: @autoclosure () -> StageStart
  ) {
    guard searches[server] == nil else {
      searches[server]?.waiting += subjects
      return
    }
    guard let first = subjects.first else { return }
    let start = start()
    searches[server] = Search(
      start: start, news: [.attached(start)], number: 0, subject: first,
      waiting: Array(subjects.dropFirst()))
    ask(server)
  }

  /// Takes the answer to a question.
  ///
  /// - Parameter attachment: The attachment of the server's stage; `nil` if none of the users is connected.
  /// - Returns: `nil` for the answer to another question than the open one.
  mutating func take(
    _ number: UInt64, attachment: UInt64?, from server: UInt16
  ) -> Verdict? {
    guard var search = searches[server], search.number == number else { return nil }
    search.attachment = attachment ?? search.attachment
    guard search.waiting.isEmpty else {
      search.subject = search.waiting.removeFirst()
      searches[server] = search
      ask(server)
      return .unknown
    }
    searches[server] = nil
    if let attachment = search.attachment {
      return .present(attachment: attachment, news: search.news)
    }
    return .absent(answers: search.news.filter(\.isAnswer))
  }

  /// Asks the open question once more, because it or its answer may be lost.
  ///
  /// The server has no stage any more, if it had made one for the news.
  mutating func askAgain(_ server: UInt16) {
    guard isAsking(server) else { return }
    searches[server]?.attachment = nil
    ask(server)
  }

  private mutating func ask(_ server: UInt16) {
    guard let subject = searches[server]?.subject else { return }
    lastNumber += 1
    searches[server]?.number = lastNumber
    let question = MemberQuestion(
      number: lastNumber, userIDs: subject.userIDs, areSeated: subject.areSeated)
    questions.append((server, question))
  }

  /// Returns the questions that are to be sent, after all news of the turn.
  mutating func takeQuestions() -> [(server: UInt16, question: MemberQuestion)] {
    defer { questions = [] }
    return questions
  }

  /// Notes that the stage of a server waits for the news under another attachment.
  mutating func note(attachment: UInt64, of server: UInt16) {
    searches[server]?.attachment = attachment
  }

  /// Keeps news for a server.
  ///
  /// - Returns: Whether the server is being asked.
  mutating func append(_ item: StageNews, for server: UInt16) -> Bool {
    guard var search = searches[server] else { return false }
    // Released, so that appending copies nothing.
    searches[server] = nil
    if search.news.count >= Self.newsLimit, !search.isOverfull {
      search.isOverfull = true
      search.news =
        [.attached(search.start), .released] + search.news.filter { $0.isAnswer || $0.isSeat }
    }
    if !search.isOverfull || item.isAnswer || item.isSeat { search.news.append(item) }
    searches[server] = search
    return true
  }

  /// Keeps news for all servers.
  mutating func append(_ item: StageNews) {
    for server in Array(searches.keys) { _ = append(item, for: server) }
  }

  /// Stops asking a server.
  ///
  /// - Returns: The news that were kept for it.
  mutating func remove(_ server: UInt16) -> [StageNews] {
    searches.removeValue(forKey: server)?.news ?? []
  }
}

extension StageNews {
  /// Whether it is the outcome of a call, which is for the caller whatever happens to the stage.
  var isAnswer: Bool { if case .answer = self { true } else { false } }
}
