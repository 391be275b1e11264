package import FloodControl
import ParleyProtocol

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
    case .admission(let userID):
      writer.write(case: 8)
      writer.write(userID)
    case .departure(let userID, let reason):
      writer.write(case: 9)
      writer.write(userID)
      writer.write(reason)
    case .invitation: writer.write(case: 10)
    case .quietAdmission(let userID):
      writer.write(case: 11)
      writer.write(userID)
    case .quietDeparture(let userID, let reason):
      writer.write(case: 12)
      writer.write(userID)
      writer.write(reason)
    case .mentionChange(let id):
      writer.write(case: 13)
      writer.write(id)
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
    case 8: self = .admission(ofUser: try reader.read())
    case 9: self = .departure(ofUser: try reader.read(), try reader.read())
    case 10: self = .invitation
    case 11: self = .quietAdmission(ofUser: try reader.read())
    case 12: self = .quietDeparture(ofUser: try reader.read(), try reader.read())
    case 13: self = .mentionChange(ofMessage: try reader.read())
    default: throw .unknownCase
    }
  }
}
