package import Channels
package import FloodControl
import ParleyProtocol

extension StageMessage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .enter(let request):
      writer.write(case: 0)
      writer.write(request)
    case .leave(let session, let userID):
      writer.write(case: 1)
      writer.write(session)
      writer.write(userID)
    case .news(let news, let attachment):
      writer.write(case: 2)
      writer.write(news)
      writer.write(attachment)
    case .windowQuestion(let question):
      writer.write(case: 3)
      writer.write(question)
    case .window(let answer):
      writer.write(case: 4)
      writer.write(answer)
    case .answer(let address, let outcome, let seq):
      writer.write(case: 5)
      writer.write(address)
      writer.write(outcome)
      if writer.version >= 2 { writer.write(seq) }
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .enter(try reader.read())
    case 1: self = .leave(try reader.read(), userID: try reader.read())
    case 2: self = .news(try reader.read(), attachment: try reader.read())
    case 3: self = .windowQuestion(try reader.read())
    case 4: self = .window(try reader.read())
    case 5:
      self = .answer(
        try reader.read(), try reader.read(),
        after: reader.version >= 2 ? try reader.readInteger(in: .positions) : 0)
    default: throw .unknownCase
    }
  }
}

extension StageReport: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .attach(let attachment):
      writer.write(case: 0)
      writer.write(attachment)
    case .admit(let number, let user):
      writer.write(case: 1)
      writer.write(number)
      writer.write(user)
    case .entered(let user, let session):
      writer.write(case: 2)
      writer.write(user)
      writer.write(session)
    case .left(let userID, let heirs):
      writer.write(case: 3)
      writer.write(userID)
      writer.write(heirs)
    case .detach: writer.write(case: 4)
    case .arrive(let piece):
      writer.write(case: 6)
      writer.write(piece)
    case .settled(let number, let userID):
      writer.write(case: 5)
      writer.write(number)
      writer.write(userID)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0:
      self = .attach(try reader.read())
    case 1: self = .admit(try reader.read(), try reader.read())
    case 2: self = .entered(try reader.read(), try reader.read())
    case 3: self = .left(userID: try reader.read(), heirs: try reader.read())
    case 4: self = .detach
    case 6: self = .arrive(try reader.read())
    case 5: self = .settled(try reader.read(), userID: try reader.read())
    default: throw .unknownCase
    }
  }
}

extension StageAttachment: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(epoch)
    writer.write(seq)
    writer.write(announced)
    writer.write(lastAdmission)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      epoch: try reader.read(), seq: try reader.readInteger(in: .positions),
      announced: try reader.read(), lastAdmission: try reader.read())
  }
}

extension StagePiece: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(userIDs)
    writer.write(entering)
    writer.write(isLast)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      userIDs: try reader.read(), entering: try reader.read(), isLast: try reader.read())
  }
}

extension AnnouncedUsers: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .users(let users):
      writer.write(case: 0)
      writer.write(users.sorted())
    case .number: writer.write(case: 1)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0:
      let users: [String] = try reader.read()
      let set = Set(users)
      guard set.sorted() == users else { throw .invalidValue }
      self = .users(set)
    case 1: self = .number
    default: throw .unknownCase
    }
  }
}

extension PresenceMark: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .entered(let userID):
      writer.write(case: 0)
      writer.write(userID)
    case .exited(let userID):
      writer.write(case: 1)
      writer.write(userID)
    case .count: writer.write(case: 2)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .entered(userID: try reader.read())
    case 1: self = .exited(userID: try reader.read())
    case 2: self = .count
    default: throw .unknownCase
    }
  }
}

extension EntryClaim: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(number)
    writer.write(userID)
    writer.write(case: standing.rawValue)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    let (number, userID): (UInt64, String) = (try reader.read(), try reader.read())
    guard let standing = EntryClaim.Standing(rawValue: try reader.readCase()) else {
      throw .unknownCase
    }
    self.init(number: number, userID: userID, standing: standing)
  }
}

extension StageNews: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .attached(let start):
      writer.write(case: 0)
      writer.write(start)
    case .absent: writer.write(case: 1)
    case .released: writer.write(case: 2)
    case .admitted(let number, let result):
      writer.write(case: 3)
      writer.write(number)
      writer.write(result)
    case .event(let event):
      writer.write(case: 4)
      writer.write(event)
    case .notice(let notice):
      writer.write(case: 5)
      writer.write(notice.payload)
      writer.write(notice.author)
      writer.write(notice.mark)
    case .record(let channel):
      writer.write(case: 6)
      writer.write(channel)
    case .throttle(let limit):
      writer.write(case: 7)
      writer.write(limit)
    case .elsewhere(let count):
      writer.write(case: 8)
      writer.write(count)
    case .answer(let address, let outcome):
      writer.write(case: 9)
      writer.write(address)
      writer.write(outcome)
    case .next: writer.write(case: 10)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 10: self = .next
    case 0: self = .attached(try reader.read())
    case 1: self = .absent
    case 2: self = .released
    case 3: self = .admitted(try reader.read(), try reader.read())
    case 4: self = .event(try reader.read())
    case 5:
      self = .notice(
        StageNotice(
          payload: try reader.read(), author: try reader.read(), mark: try reader.read()))
    case 6: self = .record(try reader.read())
    case 7: self = .throttle(try reader.read())
    case 8: self = .elsewhere(try reader.readInteger(in: .counts))
    case 9: self = .answer(try reader.read(), try reader.read())
    default: throw .unknownCase
    }
  }
}

extension StageStart: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(channel)
    writer.write(channelID)
    writer.write(epoch)
    writer.write(seq)
    writer.write(throttleLimit)
    writer.write(announced)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      channel: try reader.read(), channelID: try reader.read(), epoch: try reader.read(),
      seq: try reader.readInteger(in: .positions), throttleLimit: try reader.read(),
      announced: try reader.read())
  }
}

extension RateLimit: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(count)
    writer.write(windowMilliseconds)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(count: try reader.read(), windowMilliseconds: try reader.read())
  }
}

extension ChannelEvent: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(payload)
    writer.write(subject)
    writer.write(seq)
    writer.write(timestamp)
    writer.write(author)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      payload: try reader.read(), subject: try reader.read(),
      seq: try reader.readInteger(in: .positions), timestamp: try reader.read(),
      author: try reader.read())
  }
}

extension ChannelEvent.Subject: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .message(let message):
      writer.write(case: 0)
      writer.write(message.id)
      writer.write(message.createdAt)
      writer.write(message.authorID)
    case .update(let id):
      writer.write(case: 1)
      writer.write(id)
    case .deletion(let id):
      writer.write(case: 2)
      writer.write(id)
    case .record(let channel):
      writer.write(case: 3)
      writer.write(channel)
    case .operators(let operators):
      writer.write(case: 4)
      writer.write(operators)
    case .expulsion(let userID):
      writer.write(case: 5)
      writer.write(userID)
    case .end: writer.write(case: 6)
    case .announcement: writer.write(case: 7)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0:
      self = .message(
        MessageFacts(
          id: try reader.read(), createdAt: try reader.read(), authorID: try reader.read()))
    case 1: self = .update(ofMessage: try reader.read())
    case 2: self = .deletion(ofMessage: try reader.read())
    case 3: self = .record(try reader.read())
    case 4: self = .operators(try reader.read())
    case 5: self = .expulsion(ofUser: try reader.read())
    case 6: self = .end
    case 7: self = .announcement
    default: throw .unknownCase
    }
  }
}

extension WindowQuestion: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(number)
    writer.write(userID)
    writer.write(seq)
    writer.write(server)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      number: try reader.read(), userID: try reader.read(),
      seq: try reader.readInteger(in: .positions), server: try reader.read())
  }
}

extension WindowAnswer: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(question)
    writer.write(window)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(try reader.read(), try reader.read())
  }
}

extension UserWindow: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(seq)
    if writer.version >= 3 { writer.write(since) }
    writer.write(shownTimes)
    writer.write(withheldIDs)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    let seq: Int64 = try reader.readInteger(in: .positions)
    // What the user was shown before, an older server does not say.
    self.init(
      seq: seq, since: reader.version >= 3 ? try reader.readInteger(in: .positions) : seq,
      shownTimes: try reader.read(), withheldIDs: try reader.read())
  }
}
