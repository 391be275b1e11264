import ParleyProtocol

extension ChannelKind: MessageCodable {}
extension MemberState: MessageCodable {}
extension DepartureReason: MessageCodable {}

extension Group: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(isDistinct)
    writer.write(isPublic)
    writer.write(isSuper)
    writer.write(accessCode)
    writer.write(createdBy)
    writer.write(memberCount)
    writer.write(joinedCount)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      isDistinct: try reader.read(), isPublic: try reader.read(), isSuper: try reader.read(),
      accessCode: try reader.read(), createdBy: try reader.read(),
      memberCount: try reader.readInteger(in: .counts),
      joinedCount: try reader.readInteger(in: .counts))
  }
}

extension GroupCreation: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(channel)
    writer.write(invitedIDs)
    writer.write(memberLimit)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      try reader.read(), inviting: try reader.read(),
      memberLimit: try reader.readInteger(in: .counts))
  }
}

extension GroupMembers: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(channelURL)
    writer.write(state)
    writer.write(limit)
    writer.write(token)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      channelURL: try reader.read(), state: try reader.read(),
      limit: try reader.readInteger(in: Limits.pageSizes), token: try reader.read())
  }
}

extension GroupCommand: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .view(let memberLimit, let isNew):
      writer.write(case: 0)
      writer.write(memberLimit)
      writer.write(isNew)
    case .update(let fields):
      writer.write(case: 1)
      writer.write(fields)
    case .change(let change):
      writer.write(case: 2)
      writer.write(change)
    case .delete: writer.write(case: 3)
    case .changeOwn(let change):
      writer.write(case: 4)
      writer.write(change)
    case .typing(let isTyping):
      writer.write(case: 5)
      writer.write(isTyping)
    case .receipts: writer.write(case: 6)
    case .markDelivered(let id):
      writer.write(case: 7)
      writer.write(id)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0:
      self = .view(memberLimit: try reader.readInteger(in: .counts), created: try reader.read())
    case 1: self = .update(try reader.read())
    case 2: self = .change(try reader.read())
    case 3: self = .delete
    case 4: self = .changeOwn(try reader.read())
    case 5: self = .typing(try reader.read())
    case 6: self = .receipts
    case 7: self = .markDelivered(upTo: try reader.read())
    default: throw .unknownCase
    }
  }
}

extension CountPreference: MessageCodable {}
extension ChannelPushTriggerOption: MessageCodable {}

extension OwnChange: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .markRead(let id):
      writer.write(case: 0)
      writer.write(id)
    case .markUnread(let id):
      writer.write(case: 1)
      writer.write(id)
    case .hide(let isClearing, let isArchived):
      writer.write(case: 2)
      writer.write(isClearing)
      writer.write(isArchived)
    case .unhide: writer.write(case: 3)
    case .resetHistory: writer.write(case: 4)
    case .prefer(let preference):
      writer.write(case: 5)
      writer.write(preference)
    case .markReadUntil(let time):
      writer.write(case: 6)
      writer.write(time)
    case .preferPushes(let pushes, let counting):
      writer.write(case: 7)
      writer.write(pushes)
      writer.write(counting)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .markRead(upTo: try reader.read())
    case 1: self = .markUnread(from: try reader.read())
    case 2: self = .hide(clearing: try reader.read(), isArchived: try reader.read())
    case 3: self = .unhide
    case 4: self = .resetHistory
    case 5: self = .prefer(try reader.read())
    case 6: self = .markReadUntil(try reader.read())
    case 7: self = .preferPushes(try reader.read(), counting: try reader.read())
    default: throw .unknownCase
    }
  }
}

extension MembershipChange: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .invite(let ids):
      writer.write(case: 0)
      writer.write(ids)
    case .accept: writer.write(case: 1)
    case .decline: writer.write(case: 2)
    case .join(let accessCode):
      writer.write(case: 3)
      writer.write(accessCode)
    case .leave: writer.write(case: 4)
    case .remove(let ids):
      writer.write(case: 5)
      writer.write(ids)
    case .forget(let userID):
      writer.write(case: 6)
      writer.write(userID)
    case .release(let userIDs, let keepsRoles):
      writer.write(case: 7)
      writer.write(userIDs)
      writer.write(keepsRoles)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .invite(try reader.read())
    case 1: self = .accept
    case 2: self = .decline
    case 3: self = .join(accessCode: try reader.read())
    case 4: self = .leave
    case 5: self = .remove(try reader.read())
    case 6: self = .forget(userID: try reader.read())
    case 7: self = .release(userIDs: try reader.read(), keepsRoles: try reader.read())
    default: throw .unknownCase
    }
  }
}

extension Seat: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(userID)
    writer.write(session)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(userID: try reader.read(), session: try reader.read())
  }
}

extension Block: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(blockerID)
    writer.write(blockedID)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(by: try reader.read(), of: try reader.read())
  }
}
