import ParleyProtocol

extension ChannelMessage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .command(let command, let principal, let address):
      writer.write(case: 0)
      writer.write(command)
      writer.write(principal)
      writer.write(address)
    case .listParticipants(let limit, let token, let principal, let address):
      writer.write(case: 1)
      writer.write(limit)
      writer.write(token)
      writer.write(principal)
      writer.write(address)
    case .listMessages(let list, let principal, let address):
      writer.write(case: 2)
      writer.write(list)
      writer.write(principal)
      writer.write(address)
    case .exited(let session):
      writer.write(case: 3)
      writer.write(session)
    case .profile(let user):
      writer.write(case: 4)
      writer.write(user)
    case .platform(let request):
      writer.write(case: 5)
      writer.write(request)
    case .submit(let order, let kind, let createdAt, let user, let address):
      writer.write(case: 6)
      writer.write(kind)
      writer.write(createdAt)
      writer.write(order)
      writer.write(user)
      writer.write(address)
    case .explainLimits(let userID, let address):
      writer.write(case: 7)
      writer.write(userID)
      writer.write(address)
    case .create(let channel, let address):
      writer.write(case: 8)
      writer.write(channel)
      writer.write(address)
    case .dismiss(let userID, let address):
      writer.write(case: 9)
      writer.write(userID)
      writer.write(address)
    case .background(let command, let user, let address):
      writer.write(case: 10)
      writer.write(command)
      writer.write(user)
      writer.write(address)
    case .restrictionsRemoved(let userID):
      writer.write(case: 11)
      writer.write(userID)
    case .metadata(let metadata):
      writer.write(case: 12)
      writer.write(metadata)
    case .lateAddition(let addition):
      writer.write(case: 13)
      writer.write(addition)
    case .report(let report, let address):
      writer.write(case: 14)
      writer.write(report)
      writer.write(address.server)
      writer.write(address.attachment)
    case .createGroup(let creation, let address):
      writer.write(case: 15)
      writer.write(creation)
      writer.write(address)
    case .listMembers(let list, let principal, let address):
      writer.write(case: 16)
      writer.write(list)
      writer.write(principal)
      writer.write(address)
    case .viewGroup(let address):
      writer.write(case: 17)
      writer.write(address)
    case .blocked(let block):
      writer.write(case: 18)
      writer.write(block)
    case .unblocked(let block):
      writer.write(case: 19)
      writer.write(block)
    case .recover(let position, let principal, let byteLimit, let address):
      writer.write(case: 20)
      writer.write(position)
      writer.write(principal)
      writer.write(byteLimit)
      writer.write(address)
    case .listChanges(let list, let principal, let address):
      writer.write(case: 21)
      writer.write(list)
      writer.write(principal)
      writer.write(address)
    case .readPrivacyChanged(let userID, let hidesReads):
      writer.write(case: 22)
      writer.write(userID)
      writer.write(hidesReads)
    case .complain(let draft, let principal, let address):
      writer.write(case: 23)
      writer.write(draft)
      writer.write(principal)
      writer.write(address)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0:
      self = .command(try reader.read(), by: try reader.read(), replyTo: try reader.read())
    case 1:
      self = .listParticipants(
        limit: try reader.readInteger(in: Limits.pageSizes), token: try reader.read(),
        for: try reader.read(), replyTo: try reader.read())
    case 2:
      self = .listMessages(try reader.read(), for: try reader.read(), replyTo: try reader.read())
    case 3: self = .exited(try reader.read())
    case 4: self = .profile(try reader.read())
    case 5: self = .platform(try reader.read())
    case 6:
      let kind = try reader.read(ChannelKind.self)
      let createdAt = try reader.readImportTime()
      self = .submit(
        try reader.read(), to: kind, createdAt: createdAt, onBehalfOf: try reader.read(),
        replyTo: try reader.read())
    case 7: self = .explainLimits(userID: try reader.read(), replyTo: try reader.read())
    case 8: self = .create(try reader.read(), replyTo: try reader.read())
    case 9: self = .dismiss(userID: try reader.read(), replyTo: try reader.read())
    case 10:
      self = .background(try reader.read(), by: try reader.read(), replyTo: try reader.read())
    case 11: self = .restrictionsRemoved(userID: try reader.read())
    case 12: self = .metadata(try reader.read())
    case 13: self = .lateAddition(try reader.read())
    case 14:
      self = .report(
        try reader.read(),
        from: StageAddress(server: try reader.read(), attachment: try reader.read()))
    case 15: self = .createGroup(try reader.read(), replyTo: try reader.read())
    case 16:
      self = .listMembers(try reader.read(), for: try reader.read(), replyTo: try reader.read())
    case 17: self = .viewGroup(replyTo: try reader.read())
    case 18: self = .blocked(try reader.read())
    case 19: self = .unblocked(try reader.read())
    case 20:
      self = .recover(
        after: try reader.read(), by: try reader.read(),
        byteLimit: try reader.readInteger(in: 0...Int64(Limits.answerByteCount)),
        replyTo: try reader.read())
    case 21:
      self = .listChanges(try reader.read(), for: try reader.read(), replyTo: try reader.read())
    case 22:
      self = .readPrivacyChanged(userID: try reader.read(), hidesReads: try reader.read())
    case 23:
      self = .complain(try reader.read(), by: try reader.read(), replyTo: try reader.read())
    default: throw .unknownCase
    }
  }
}

extension MessageReader {
  /// Reads the time of an imported message, which may be absent.
  fileprivate mutating func readImportTime() throws(MessageDecodingError) -> Int64? {
    try read(Bool.self) ? try readInteger(in: Limits.importTimes) : nil
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
