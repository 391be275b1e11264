import ParleyProtocol

extension ShardTask: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .deliver(let plan):
      writer.write(case: 0)
      writer.write(plan)
    case .notify(let event, let sessions):
      writer.write(case: 1)
      writer.write(event)
      writer.write(sessions)
    case .renewLimits: writer.write(case: 2)
    case .ask(let question, let address):
      writer.write(case: 3)
      writer.write(question)
      writer.write(address)
    case .answer(let answer, let address):
      writer.write(case: 4)
      writer.write(answer)
      writer.write(address)
    case .drainServer: writer.write(case: 7)
    case .askServer(let question, let address):
      writer.write(case: 5)
      writer.write(question)
      writer.write(address)
    case .notice(let service, let notice):
      writer.write(case: 8)
      writer.write(case: service.rawValue)
      writer.write(notice)
    case .stagesMark(let mark):
      writer.write(case: 9)
      writer.write(mark)
    case .stream(let message):
      writer.write(case: 10)
      writer.write(message)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .deliver(try reader.read())
    case 1: self = .notify(try reader.read(), try reader.read())
    case 2: self = .renewLimits
    case 3: self = .ask(try reader.read(), replyTo: try reader.read())
    case 4: self = .answer(try reader.read(), to: try reader.read())
    case 5: self = .askServer(try reader.read(), replyTo: try reader.read())
    case 7: self = .drainServer
    case 8:
      guard let service = SharedService(rawValue: try reader.readCase()) else {
        throw .unknownCase
      }
      self = .notice(service, try reader.read())
    case 9: self = .stagesMark(try reader.read())
    case 10: self = .stream(try reader.read())
    default: throw .unknownCase
    }
  }
}

extension AwaitedSend: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(session)
    writer.write(userID)
    writer.write(requestID)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      session: try reader.read(), userID: try reader.read(), requestID: try reader.read())
  }
}

extension StagesMark: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(ring)
    writer.write(shard)
    writer.write(shardCount)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      ring: try reader.read(), shard: try reader.read(), shardCount: try reader.read())
  }
}

extension FanOutPlan: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(channelURL)
    writer.write(payloads)
    writer.write(common.bits)
    writer.write(exceptions)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      channelURL: try reader.read(), payloads: try reader.read(),
      common: Share(bits: try reader.read()), exceptions: try reader.read())
    guard payloads.count <= Self.capacity else { throw .invalidValue }
    let all = Share.all(of: payloads.count)
    for share in [common] + exceptions.map(\.share) where share.bits & ~all.bits != 0 {
      throw .invalidValue
    }
    // The number of connections with the common share is computed from those with another share.
    guard Set(exceptions.map(\.connection)).count == exceptions.count else { throw .invalidValue }
  }
}

extension FanOutPlan.Exception: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(connection)
    writer.write(share.bits)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      connection: try reader.read(), share: FanOutPlan.Share(bits: try reader.read()))
  }
}

extension ShardQuestion: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .online(let ids):
      writer.write(case: 0)
      writer.write(ids)
    case .sessions(let query):
      writer.write(case: 1)
      writer.write(query.userID)
      writer.write(query.limit)
      writer.write(query.last)
    case .close(let sessionID):
      writer.write(case: 2)
      writer.write(sessionID)
    case .connections: writer.write(case: 3)
    case .participantCounts(let urls):
      writer.write(case: 4)
      writer.write(urls)
    case .awaitedSends(let url):
      writer.write(case: 5)
      writer.write(url)
    case .busiestChannels(let limit):
      writer.write(case: 6)
      writer.write(limit)
    case .seats(let userIDs):
      writer.write(case: 7)
      writer.write(userIDs)
    case .cover(let seat, let urls):
      writer.write(case: 8)
      writer.write(seat)
      writer.write(urls)
    case .fullestChannels(let limit, let position):
      writer.write(case: 9)
      writer.write(limit)
      writer.write(position)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .online(try reader.read())
    case 1:
      self = .sessions(
        SessionQuery(
          userID: try reader.read(), limit: try reader.readInteger(in: Limits.pageSizes),
          last: try reader.read()))
    case 2: self = .close(sessionID: try reader.read())
    case 3: self = .connections
    case 4: self = .participantCounts(try reader.read())
    case 5: self = .awaitedSends(channelURL: try reader.read())
    case 6: self = .busiestChannels(limit: try reader.readInteger(in: Limits.pageSizes))
    case 7: self = .seats(try reader.read())
    case 8: self = .cover(try reader.read(), groups: try reader.read())
    case 9:
      self = .fullestChannels(
        limit: try reader.readInteger(in: FullestChannels.limits), after: try reader.read())
    default: throw .unknownCase
    }
  }
}

extension ShardAnswer: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .online(let ids):
      writer.write(case: 0)
      writer.write(ids)
    case .sessions(let sessions):
      writer.write(case: 1)
      writer.write(sessions)
    case .closed(let userID):
      writer.write(case: 2)
      writer.write(userID)
    case .connections(let counts):
      writer.write(case: 3)
      writer.write(counts)
    case .participantCounts(let counts):
      writer.write(case: 4)
      writer.write(counts)
    case .awaitedSends(let sends):
      writer.write(case: 6)
      writer.write(sends)
    case .dismissed(let isDone):
      writer.write(case: 5)
      writer.write(isDone)
    case .outcome(let outcome):
      writer.write(case: 7)
      writer.write(outcome)
    case .busiestChannels(let channels):
      writer.write(case: 8)
      writer.write(channels)
    case .channels(let urls):
      writer.write(case: 9)
      writer.write(urls)
    case .seats(let seats):
      writer.write(case: 10)
      writer.write(seats)
    case .recovered(let group):
      writer.write(case: 11)
      writer.write(group)
    case .covered(let isComplete):
      writer.write(case: 12)
      writer.write(isComplete)
    case .fullestChannels(let channels):
      writer.write(case: 13)
      writer.write(channels)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .online(try reader.read())
    case 1: self = .sessions(try reader.read())
    case 2: self = .closed(userID: try reader.read())
    case 3: self = .connections(try reader.read())
    case 4:
      var counts: [Int] = []
      for _ in 0..<(try reader.readCount()) {
        counts.append(try reader.readInteger(in: .counts))
      }
      self = .participantCounts(counts)
    case 5: self = .dismissed(try reader.read())
    case 6: self = .awaitedSends(try reader.read())
    case 7: self = .outcome(try reader.read())
    case 8: self = .busiestChannels(try reader.read())
    case 9: self = .channels(try reader.read())
    case 10: self = .seats(try reader.read())
    case 11: self = .recovered(try reader.read())
    case 12: self = .covered(try reader.read())
    case 13: self = .fullestChannels(try reader.read())
    default: throw .unknownCase
    }
  }
}

extension RecoveredGroup: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(epoch)
    writer.write(seq)
    writer.write(events)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      epoch: try reader.read(), seq: try reader.readInteger(in: .positions),
      events: try reader.read())
  }
}

extension ChannelTraffic: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(url)
    writer.write(messages)
    writer.write(participants)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      url: try reader.read(), messages: try reader.readInteger(in: .counts),
      participants: try reader.readInteger(in: .counts))
  }
}

extension CountedChannel: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(url)
    writer.write(participants)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(url: try reader.read(), participants: try reader.readInteger(in: .counts))
  }
}

extension ConnectionCount: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(connections)
    writer.write(sessions)
    writer.write(queued)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      connections: try reader.readInteger(in: .counts),
      sessions: try reader.readInteger(in: .counts),
      queued: try reader.readInteger(in: .counts))
  }
}

extension SessionSummary: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(id)
    writer.write(userID)
    writer.write(address)
    writer.write(channelURLs)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      id: try reader.read(), userID: try reader.read(), address: try reader.read(),
      channelURLs: try reader.read())
  }
}
