import Channels
import ParleyProtocol

extension ChannelMessage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .command(let command, let principal, let address):
      writer.write(case: 0)
      writer.write(command)
      writer.write(principal)
      writer.write(address)
    case .listParticipants(let limit, let token, let address):
      writer.write(case: 1)
      writer.write(limit)
      writer.write(token)
      writer.write(address)
    case .listMessages(let list, let principal, let address):
      writer.write(case: 2)
      writer.write(list)
      writer.write(principal)
      writer.write(address)
    case .exited(let session):
      writer.write(case: 18)
      writer.write(session)
    case .profile(let user):
      writer.write(case: 5)
      writer.write(user)
    case .platform(let request):
      writer.write(case: 6)
      writer.write(request)
    case .submit(let order, let createdAt, let user, let address):
      writer.write(case: 7)
      if writer.version >= MessageVersion.imports {
        writer.write(createdAt)
        writer.write(order)
      } else {
        writer.write(createdAt == nil ? order : order.withUnknownTime)
      }
      writer.write(user)
      writer.write(address)
    case .explainLimits(let userID, let address):
      writer.write(case: 8)
      writer.write(userID)
      writer.write(address)
    case .create(let channel, let address):
      writer.write(case: 9)
      writer.write(channel)
      writer.write(address)
    case .dismiss(let userID, let address):
      writer.write(case: 16)
      writer.write(userID)
      writer.write(address)
    case .sendUploaded(let order, let user, let address):
      writer.write(case: 17)
      writer.write(order)
      writer.write(user)
      writer.write(address)
    case .restrictionsRemoved(let userID):
      writer.write(case: 11)
      writer.write(userID)
    case .metadata(let metadata):
      writer.write(case: 12)
      writer.write(metadata)
    case .lateAddition(let addition):
      writer.write(case: 19)
      writer.write(addition)
    case .report(let report, let address):
      writer.write(case: 13)
      writer.write(report)
      writer.write(address.server)
      writer.write(address.attachment)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0:
      self = .command(try reader.read(), by: try reader.read(), replyTo: try reader.read())
    case 1:
      self = .listParticipants(
        limit: try reader.readInteger(in: Limits.pageSizes), token: try reader.read(),
        replyTo: try reader.read())
    case 2:
      self = .listMessages(try reader.read(), for: try reader.read(), replyTo: try reader.read())
    // 3 and 4 were given to messages that are no more.
    case 18: self = .exited(try reader.read())
    case 5: self = .profile(try reader.read())
    case 6: self = .platform(try reader.read())
    case 7:
      let createdAt = reader.version >= MessageVersion.imports ? try reader.readImportTime() : nil
      self = .submit(
        try reader.read(), createdAt: createdAt, onBehalfOf: try reader.read(),
        replyTo: try reader.read())
    case 8: self = .explainLimits(userID: try reader.read(), replyTo: try reader.read())
    case 9: self = .create(try reader.read(), replyTo: try reader.read())
    case 16: self = .dismiss(userID: try reader.read(), replyTo: try reader.read())
    case 17:
      self = .sendUploaded(try reader.read(), by: try reader.read(), replyTo: try reader.read())
    case 11: self = .restrictionsRemoved(userID: try reader.read())
    case 12: self = .metadata(try reader.read())
    case 19 where reader.version >= MessageVersion.lateAdditions:
      self = .lateAddition(try reader.read())
    case 13:
      self = .report(
        try reader.read(),
        from: StageAddress(server: try reader.read(), attachment: try reader.read()))
    default: throw .unknownCase
    }
  }
}

extension MessageReader {
  /// Reads the time of a message of the past, which may be absent.
  fileprivate mutating func readImportTime() throws(MessageDecodingError) -> Int64? {
    try read(Bool.self) ? try readInteger(in: Limits.importTimes) : nil
  }
}

extension MessageOrder {
  /// The order as a server of an older version gets it, which would send it as a new message: one that is
  /// refused.
  fileprivate var withUnknownTime: MessageOrder {
    MessageOrder(.failure(.importUnknown), requestID: nil, upload: upload, arrival: arrival)
  }
}

extension PlatformRequest: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(method)
    writer.write(target)
    writer.write(body)
    writer.write(caller)
    writer.write(exchange)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      method: try reader.read(), target: try reader.read(), body: try reader.read(),
      caller: try reader.read(), exchange: try reader.read())
  }
}
