import ParleyProtocol

extension StageReport: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .attach(let attachment):
      writer.write(case: 0)
      writer.write(attachment)
    case .admit(let number, let principal):
      writer.write(case: 1)
      writer.write(number)
      writer.write(principal)
    case .entered(let user, let session):
      writer.write(case: 2)
      writer.write(user)
      writer.write(session)
    case .left(let userID):
      writer.write(case: 3)
      writer.write(userID)
    case .detach: writer.write(case: 4)
    case .arrive(let piece):
      writer.write(case: 5)
      writer.write(piece)
    case .sought(let number, let isHere):
      writer.write(case: 6)
      writer.write(number)
      writer.write(isHere)
    case .vacant(let admissions):
      writer.write(case: 7)
      writer.write(admissions)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0:
      self = .attach(try reader.read())
    case 1: self = .admit(try reader.read(), try reader.read())
    case 2: self = .entered(try reader.read(), try reader.read())
    case 3: self = .left(userID: try reader.read())
    case 4: self = .detach
    case 5: self = .arrive(try reader.read())
    case 6: self = .sought(try reader.read(), isHere: try reader.read())
    case 7: self = .vacant(admissions: try reader.readInteger(in: .counts))
    default: throw .unknownCase
    }
  }
}

extension StageAttachment: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(epoch)
    writer.write(seq)
    writer.write(announced)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      epoch: try reader.read(), seq: try reader.readInteger(in: .positions),
      announced: try reader.read())
  }
}

extension StagePiece: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(userIDs)
    writer.write(isLast)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(userIDs: try reader.read(), isLast: try reader.read())
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
