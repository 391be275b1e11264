import ParleyProtocol

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
    case .seat(let seat):
      writer.write(case: 11)
      writer.write(seat)
    case .memberNotice(let notice):
      writer.write(case: 12)
      writer.write(notice)
    case .membersNotice(let notice):
      writer.write(case: 13)
      writer.write(notice)
    case .memberCount(let count):
      writer.write(case: 14)
      writer.write(count.all)
      writer.write(count.joined)
    case .strangers(let userIDs):
      writer.write(case: 15)
      writer.write(userIDs)
    case .dispersed: writer.write(case: 16)
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
    case 11: self = .seat(try reader.read())
    case 12: self = .memberNotice(try reader.read())
    case 13: self = .membersNotice(try reader.read())
    case 14:
      self = .memberCount(
        Event.MemberCount(
          all: try reader.readInteger(in: .counts),
          joined: try reader.readInteger(in: .counts)))
    case 15: self = .strangers(try reader.read())
    case 16: self = .dispersed
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

extension MemberNotice: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(userID)
    writer.write(payload)
    writer.write(except)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      userID: try reader.read(), payload: try reader.read(), except: try reader.read())
  }
}

extension MembersNotice: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(payload)
    writer.write(exceptIDs)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(payload: try reader.read(), exceptIDs: try reader.read())
  }
}
