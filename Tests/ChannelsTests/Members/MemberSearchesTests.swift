import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("A group's search for connected members")
struct MemberSearchesTests {
  private var searches = MemberSearches(life: 3)

  @Test("asks one question at a time, and gives a server with connections all news since the first")
  mutating func present() throws {
    searches.begin([subject("ann"), subject("ben")], on: 1, from: start())
    let first = try #require(searches.takeQuestions().first)
    #expect(first.server == 1 && first.question.userIDs == ["ann"] && first.question.home == 3)
    let isKept = searches.append(.elsewhere(1), for: 1)
    #expect(isKept)
    searches.append(.elsewhere(2))
    searches.begin([subject("cat", areSeated: false)], on: 1, from: start(9))
    #expect(!searches.hasQuestions)
    guard case .unknown? = searches.take(first.question.number, attachment: 5, from: 1) else {
      return #expect(Bool(false))
    }
    let second = try #require(searches.takeQuestions().first?.question)
    #expect(second.userIDs == ["ben"])
    _ = searches.take(second.number, attachment: nil, from: 1)
    let third = try #require(searches.takeQuestions().first?.question)
    #expect(third.userIDs == ["cat"] && !third.areSeated)
    guard case .present(5, let news)? = searches.take(third.number, attachment: nil, from: 1) else {
      return #expect(Bool(false))
    }
    #expect(names(news) == ["attached 7", "1", "2"])
    let isKeptLater = searches.append(.elsewhere(3), for: 1)
    #expect(searches.isEmpty && !isKeptLater)
  }

  @Test("leaves out a server without connections, but for the outcomes of calls")
  mutating func absent() throws {
    searches.begin([subject("ann")], on: 1, from: start())
    let question = try #require(searches.takeQuestions().first?.question)
    searches.append(.elsewhere(1))
    searches.append(answer)
    guard case .absent(let answers)? = searches.take(question.number, attachment: nil, from: 1)
    else { return #expect(Bool(false)) }
    #expect(names(answers) == ["answer"] && searches.isEmpty)
  }

  @Test("ignores answers to other questions, of another home too")
  mutating func otherAnswers() throws {
    searches.begin([subject("ann")], on: 1, from: start())
    let question = try #require(searches.takeQuestions().first?.question)
    if case .some = searches.take(question.number, attachment: nil, from: 2) {
      return #expect(Bool(false))
    }
    if case .some = searches.take(question.number + 1, attachment: nil, from: 1) {
      return #expect(Bool(false))
    }
    var other = MemberSearches(life: 4)
    other.begin([subject("ann")], on: 1, from: start())
    let numbers = other.takeQuestions().map(\.question.number)
    #expect(!numbers.contains(question.number))
  }

  @Test("asks again after a loss, and no longer knows a stage")
  mutating func loss() throws {
    searches.begin([subject("ann"), subject("ben")], on: 1, from: start())
    let first = try #require(searches.takeQuestions().first?.question)
    _ = searches.take(first.number, attachment: 5, from: 1)
    let lost = try #require(searches.takeQuestions().first?.question)
    searches.askAgain(1)
    searches.askAgain(2)
    let again = searches.takeQuestions()
    #expect(again.count == 1 && again[0].question.userIDs == ["ben"])
    if case .some = searches.take(lost.number, attachment: nil, from: 1) {
      return #expect(Bool(false))
    }
    guard case .absent? = searches.take(again[0].question.number, attachment: nil, from: 1) else {
      return #expect(Bool(false))
    }
  }

  @Test("passes added connections on to a stage that attaches by itself")
  func attachment() throws {
    var home = ChannelHome(url: "team", server: 1, life: 3)
    home.search([["ann"]], on: [2], from: start())
    let session = SessionAddress(server: 2, shard: 0, connection: 5)
    home.add(Seat(userID: "ann", session: session), from: start())
    for (attachment, seq) in [(UInt64(9), Int64(8)), (10, 9)] {
      home.attach(
        StageAttachment(epoch: "epoch", seq: 3, announced: nil),
        at: StageAddress(server: 2, attachment: attachment), from: start(seq))
    }
    let packet = try #require(home.takePackets().first)
    #expect(packet.address.attachment == 10)
    #expect(names(packet.news).prefix(2) == ["other", "attached 9"])
  }

  @Test("keeps a bounded number of news: then the stage reads the events from the log")
  mutating func bound() throws {
    searches.begin([subject("ann")], on: 1, from: start())
    let question = try #require(searches.takeQuestions().first?.question)
    searches.append(answer)
    for number in 0..<5_000 { searches.append(.elsewhere(number)) }
    searches.append(answer)
    guard case .present(_, let news)? = searches.take(question.number, attachment: 5, from: 1)
    else { return #expect(Bool(false)) }
    #expect(names(news) == ["attached 7", "released", "answer", "answer"])
  }
}

private func start(_ seq: Int64 = 7) -> StageStart {
  StageStart(
    channel: Channel(url: "team", createdAt: 0, group: Group()), channelID: 1, epoch: "epoch",
    seq: seq, throttleLimit: RateLimit(count: 0, windowMilliseconds: 0), announced: nil)
}

private func subject(_ userIDs: String..., areSeated: Bool = true) -> MemberSearches.Subject {
  MemberSearches.Subject(userIDs: userIDs, areSeated: areSeated)
}

private func names(_ news: [StageNews]) -> [String] {
  news.map { item in
    switch item {
    case .attached(let start): "attached \(start.seq)"
    case .elsewhere(let count): "\(count)"
    case .released: "released"
    case .answer: "answer"
    case .next, .absent, .admitted, .event, .notice, .record, .throttle, .seat, .memberNotice,
      .membersNotice, .memberCount, .strangers, .dispersed:
      "other"
    }
  }
}

private var answer: StageNews {
  let session = SessionAddress(server: 1, shard: 0, connection: 1)
  return .answer(
    ReplyAddress(session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true),
    .empty)
}
