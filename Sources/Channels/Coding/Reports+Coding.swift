package import ParleyProtocol

extension AbuseReportDraft: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(channelURL)
    switch subject {
    case .message(let id):
      writer.write(case: 0)
      writer.write(id)
    case .user(let id):
      writer.write(case: 1)
      writer.write(id)
    case .channel: writer.write(case: 2)
    }
    writer.write(reason)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    let url: String = try reader.read()
    let subject: AbuseReportSubject
    switch try reader.readCase() {
    case 0: subject = .message(try reader.readInteger(in: Limits.messageIDs))
    case 1: subject = .user(try reader.read())
    case 2: subject = .channel
    default: throw .unknownCase
    }
    self.init(channelURL: url, subject, try reader.read())
  }
}

extension AbuseReportReason: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(category)
    writer.write(customCategory)
    writer.write(description)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      try reader.read(), customCategory: try reader.read(), description: try reader.read())
  }
}

extension AbuseReportCategory: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    let number: UInt8 =
      switch self {
      case .suspicious: 0
      case .harassing: 1
      case .inappropriate: 2
      case .spam: 3
      case .custom: 4
      }
    writer.write(case: number)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .suspicious
    case 1: self = .harassing
    case 2: self = .inappropriate
    case 3: self = .spam
    case 4: self = .custom
    default: throw .unknownCase
    }
  }
}
