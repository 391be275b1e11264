import ParleyProtocol

extension MemberQuestion: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(number)
    writer.write(userIDs)
    writer.write(areSeated)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      number: try reader.read(), userIDs: try reader.read(), areSeated: try reader.read())
  }
}

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
    case .answer(let address, let outcome, let seq):
      writer.write(case: 3)
      writer.write(address)
      writer.write(outcome)
      writer.write(seq)
    case .seek(let question):
      writer.write(case: 4)
      writer.write(question)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .enter(try reader.read())
    case 1: self = .leave(try reader.read(), userID: try reader.read())
    case 2: self = .news(try reader.read(), attachment: try reader.read())
    case 3:
      self = .answer(
        try reader.read(), try reader.read(), after: try reader.readInteger(in: .positions))
    case 4: self = .seek(try reader.read())
    default: throw .unknownCase
    }
  }
}
