import ParleyProtocol

extension SessionMessage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .expected: writer.write(case: 0)
    case .complete(let address, let outcome):
      writer.write(case: 1)
      writer.write(address)
      writer.write(outcome)
    case .entered(let url, let userID, let address, let result):
      writer.write(case: 2)
      writer.write(url)
      writer.write(userID)
      writer.write(address)
      writer.write(result)
    case .removed(let url):
      writer.write(case: 3)
      writer.write(url)
    case .notify(let event):
      writer.write(case: 4)
      writer.write(event)
    case .profile(let user):
      writer.write(case: 5)
      writer.write(user)
    case .expel(let reason):
      writer.write(case: 6)
      writer.write(reason)
    case .expelOldest: writer.write(case: 7)
    case .revoke(let proof, let reason):
      writer.write(case: 8)
      writer.write(proof)
      writer.write(reason)
    case .charge(let cost):
      writer.write(case: 9)
      writer.write(cost.nanoseconds)
      writer.write(cost.isCutShort)
    case .chargeRepetition(let ticket):
      writer.write(case: 10)
      writer.write(ticket)
    case .disconnect: writer.write(case: 11)
    case .seated(let url, let userID):
      writer.write(case: 12)
      writer.write(url)
      writer.write(userID)
    case .pass(let ticket):
      writer.write(case: 13)
      writer.write(ticket)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .expected
    case 1: self = .complete(try reader.read(), try reader.read())
    case 2:
      self = .entered(
        channelURL: try reader.read(), userID: try reader.read(), try reader.read(),
        result: try reader.read())
    case 3: self = .removed(channelURL: try reader.read())
    case 4: self = .notify(try reader.read())
    case 5: self = .profile(try reader.read())
    case 6: self = .expel(reason: try reader.read())
    case 7: self = .expelOldest
    case 8: self = .revoke(try reader.read(), reason: try reader.read())
    case 9:
      self = .charge(QueryCost(nanoseconds: try reader.read(), isCutShort: try reader.read()))
    case 10: self = .chargeRepetition(try reader.read())
    case 11: self = .disconnect
    case 12: self = .seated(channelURL: try reader.read(), userID: try reader.read())
    case 13: self = .pass(try reader.read())
    default: throw .unknownCase
    }
  }
}
