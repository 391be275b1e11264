import ParleyProtocol

@testable import Channels

extension SampleMessages {
  mutating func tasks() -> [ShardTask] {
    let query = SessionQuery(userID: optional { $0.text() }, limit: pageSize(), last: text())
    let sessions = list {
      SessionSummary(id: $0.text(), userID: $0.text(), address: $0.text(), channelURLs: $0.texts())
    }
    let count = ConnectionCount(connections: count(), sessions: count(), queued: count())
    return [
      .deliver(plan()), .notify(bytes(), list { $0.session() }), .renewLimits,
      .ask(.online(texts()), replyTo: poll()), .ask(.sessions(query), replyTo: poll()),
      .ask(.close(sessionID: text()), replyTo: poll()), .ask(.connections, replyTo: poll()),
      .answer(.online(texts()), to: poll()), .answer(.sessions(sessions), to: poll()),
      .answer(.closed(userID: optional { $0.text() }), to: poll()),
      .answer(.connections([count]), to: poll()),
      .ask(.participantCounts(texts()), replyTo: poll()),
      .answer(.participantCounts(list { $0.count() }), to: poll()),
      .ask(
        .fullestChannels(
          limit: pageSize(),
          after: optional { CountedChannel(url: $0.text(), participants: $0.count()) }),
        replyTo: poll()),
      .answer(
        .fullestChannels(list { CountedChannel(url: $0.text(), participants: $0.count()) }),
        to: poll()),
      .ask(.awaitedSends(channelURL: text()), replyTo: poll()),
      .answer(
        .awaitedSends(
          list { AwaitedSend(session: $0.session(), userID: $0.text(), requestID: $0.text()) }),
        to: poll()),
      .answer(.dismissed(flag()), to: poll()),
      .ask(.busiestChannels(limit: pageSize()), replyTo: poll()),
      .answer(
        .busiestChannels(
          list { ChannelTraffic(url: $0.text(), messages: $0.count(), participants: $0.count()) }),
        to: poll()),
      .askServer(.sessions(query), replyTo: poll()), .drainServer,
      .stagesMark(
        StagesMark(
          ring: word(), shard: ShardAddress(server: half(), shard: half()), shardCount: half())),
      .notice(.previews, bytes()), .notice(.webhooks, bytes()), .notice(.controlLog, []),
      .answer(.channels(texts()), to: poll()),
      .ask(.seats(texts()), replyTo: poll()),
      .answer(
        .recovered(
          .success(
            RecoveredGroup(
              epoch: text(), seq: position(), events: optional { $0.list { $0.bytes() } }))),
        to: poll()),
      .answer(.recovered(.failure(error())), to: poll()),
      .answer(.seats(list { $0.seat() }), to: poll()),
      .ask(.cover(seat(), groups: texts()), replyTo: poll()),
      .answer(.covered(flag()), to: poll()),
    ] + streams().map { .stream($0) }
  }

  private mutating func streams() -> [StreamMessage] {
    let reading = StreamReading(
      after: word(), isPoll: flag(), padding: .random(in: 0...65_536, using: &random))
    let actions: [StreamRequest.Action] = [.read(reading), .post(bytes(), after: word()), .close]
    let answers: [StreamAnswer] = [
      .accepted, .closed, .events(from: ShardAddress(server: half(), shard: half())), .gone,
      .unknown, .refused(error()),
    ]
    return actions.map { .request(StreamRequest(address: text(), $0, from: exchange())) }
      + answers.map { .answer($0, to: exchange()) }
      + [
        .events(bytes(), to: exchange()), .end(exchange()),
        .written(byteCount: count(), of: exchange()), .abandoned(exchange()),
      ]
  }
}
