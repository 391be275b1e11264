package import ParleyProtocol

extension ChannelCommand: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .view: writer.write(case: 0)
    case .operation(let operation):
      writer.write(case: 1)
      writer.write(operation)
    case .send(let order):
      writer.write(case: 2)
      writer.write(order)
    case .updateMessage(let id, let changes):
      writer.write(case: 3)
      writer.write(id)
      writer.write(changes)
    case .deleteMessage(let id):
      writer.write(case: 4)
      writer.write(id)
    case .viewMessage(let id):
      writer.write(case: 5)
      writer.write(id)
    case .changeMetaArrays(let id, let change):
      writer.write(case: 6)
      writer.write(id)
      writer.write(change)
    case .translateMessage(let id, let languages):
      writer.write(case: 7)
      writer.write(id)
      writer.write(languages)
    case .group(let command):
      writer.write(case: 8)
      writer.write(command)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .view
    case 1: self = .operation(try reader.read())
    case 2: self = .send(try reader.read())
    case 3: self = .updateMessage(try reader.read(), try reader.read())
    case 4: self = .deleteMessage(try reader.read())
    case 5: self = .viewMessage(try reader.read())
    case 6: self = .changeMetaArrays(ofMessage: try reader.read(), try reader.read())
    case 7: self = .translateMessage(try reader.read(), into: try reader.read())
    case 8: self = .group(try reader.read())
    default: throw .unknownCase
    }
  }
}

extension ChannelOperation: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .update(let fields):
      writer.write(case: 0)
      writer.write(fields)
    case .freeze(let isFrozen):
      writer.write(case: 1)
      writer.write(isFrozen)
    case .addOperators(let ids):
      writer.write(case: 2)
      writer.write(ids)
    case .removeOperators(let ids):
      writer.write(case: 3)
      writer.write(ids)
    case .removeAllOperators: writer.write(case: 4)
    case .restrict(let kind, let restriction):
      writer.write(case: 5)
      writer.write(kind)
      writer.write(restriction)
    case .changeBan(let userID, let change):
      writer.write(case: 6)
      writer.write(userID)
      writer.write(change)
    case .lift(let kind, let userID):
      writer.write(case: 7)
      writer.write(kind)
      writer.write(userID)
    case .delete: writer.write(case: 8)
    case .deleteEmpty: writer.write(case: 10)
    case .changeMembers(let change):
      writer.write(case: 9)
      writer.write(change)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .update(try reader.read())
    case 1: self = .freeze(try reader.read())
    case 2: self = .addOperators(try reader.read())
    case 3: self = .removeOperators(try reader.read())
    case 4: self = .removeAllOperators
    case 5: self = .restrict(try reader.read(), try reader.read())
    case 6: self = .changeBan(userID: try reader.read(), try reader.read())
    case 7: self = .lift(try reader.read(), userID: try reader.read())
    case 8: self = .delete
    case 9: self = .changeMembers(try reader.read())
    case 10: self = .deleteEmpty
    default: throw .unknownCase
    }
  }
}

extension RestrictionKind: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .ban: writer.write(case: 0)
    case .mute: writer.write(case: 1)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .ban
    case 1: self = .mute
    default: throw .unknownCase
    }
  }
}

extension BanChange: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(seconds)
    writer.write(description)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      seconds: try reader.read(Bool.self) ? try reader.readInteger(in: .restrictionSeconds) : nil,
      description: try reader.read())
  }
}

extension ChannelFields: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(name)
    writer.write(coverURL)
    writer.write(data)
    writer.write(customType)
    writer.write(operatorIDs)
    writer.write(isPublic)
    writer.write(accessCode)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      name: try reader.read(), coverURL: try reader.read(), data: try reader.read(),
      customType: try reader.read(), operatorIDs: try reader.read(), isPublic: try reader.read(),
      accessCode: try reader.read())
  }
}

extension ChannelRestriction: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(userID)
    writer.write(seconds)
    writer.write(description)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      userID: try reader.read(), seconds: try reader.readInteger(in: .restrictionSeconds),
      description: try reader.read())
  }
}

extension MessageOrder: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(draft)
    writer.write(requestID)
    writer.write(upload)
    writer.write(arrival)
    writer.write(userFlood)
  }

  package convenience init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      try reader.read(), requestID: try reader.read(), upload: try reader.read(),
      // Nanoseconds since the sender's machine was started: more than 2^53 after 104 days.
      arrival: try reader.readInteger(in: 0...Int64.max), userFlood: try reader.read())
  }
}

extension MessageChanges: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(text)
    writer.write(data)
    writer.write(customType)
    writer.write(mentionType)
    writer.write(mentionedUserIDs)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      text: try reader.read(), data: try reader.read(), customType: try reader.read(),
      mentionType: try reader.read(), mentionedUserIDs: try reader.read())
  }
}

extension MetaArrayChange: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .createKeys(let keys):
      writer.write(case: 0)
      writer.write(keys)
    case .deleteKeys(let keys):
      writer.write(case: 1)
      writer.write(keys)
    case .addValues(let values):
      writer.write(case: 2)
      writer.write(values)
    case .removeValues(let values):
      writer.write(case: 3)
      writer.write(values)
    case .addValuesToKnownKeys(let values):
      writer.write(case: 4)
      writer.write(values)
    case .removeValuesFromKnownKeys(let values):
      writer.write(case: 5)
      writer.write(values)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .createKeys(try reader.read())
    case 1: self = .deleteKeys(try reader.read())
    case 2: self = .addValues(try reader.read())
    case 3: self = .removeValues(try reader.read())
    case 4: self = .addValuesToKnownKeys(try reader.read())
    case 5: self = .removeValuesFromKnownKeys(try reader.read())
    default: throw .unknownCase
    }
  }
}

extension MessageList: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(channelURL)
    writer.write(anchor)
    writer.write(previousLimit)
    writer.write(nextLimit)
    writer.write(includesAnchor)
    writer.write(isReversed)
    writer.write(filter)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      channelURL: try reader.read(), anchor: try reader.read(),
      previousLimit: try reader.readInteger(in: Limits.messagePageSizes),
      nextLimit: try reader.readInteger(in: Limits.messagePageSizes),
      includesAnchor: try reader.read(),
      isReversed: try reader.read(), filter: try reader.read())
  }
}

extension MessageChangeList: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(channelURL)
    switch changes.start {
    case .token(let token):
      writer.write(case: 0)
      writer.write(token)
    case .time(let time):
      writer.write(case: 1)
      writer.write(time)
    }
    writer.write(changes.limit)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    let url: String = try reader.read()
    let start: ChangeList.Start
    switch try reader.readCase() {
    case 0: start = .token(try reader.read())
    case 1: start = .time(try reader.readInteger(in: Limits.timestamps))
    default: throw .unknownCase
    }
    self.init(
      channelURL: url, ChangeList(start, limit: try reader.readInteger(in: Limits.pageSizes)))
  }
}

extension MessageAnchor: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .message(let id):
      writer.write(case: 0)
      writer.write(id)
    case .time(let time):
      writer.write(case: 1)
      writer.write(time)
    case .now: writer.write(case: 2)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .message(id: try reader.read())
    case 1: self = .time(try reader.read())
    case 2: self = .now
    default: throw .unknownCase
    }
  }
}

extension MessageFilter: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(type)
    writer.write(customTypes)
    writer.write(senderIDs)
    writer.write(mentionedUserID)
    writer.write(hasFile)
    writer.write(hasLink)
    writer.write(updatedSince)
    writer.write(from)
    writer.write(to)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      type: try reader.read(), customTypes: try reader.read(), senderIDs: try reader.read(),
      mentionedUserID: try reader.read(), hasFile: try reader.read(),
      hasLink: try reader.read(), updatedSince: try reader.read(), from: try reader.read(),
      to: try reader.read())
  }
}
