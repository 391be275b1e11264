package import ParleyProtocol

extension MessageType: MessageCodable {}
extension MentionType: MessageCodable {}
extension PushOption: MessageCodable {}

extension User: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(id)
    writer.write(nickname)
    writer.write(profileURL)
    writer.write(metadata)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      id: try reader.read(), nickname: try reader.read(), profileURL: try reader.read(),
      metadata: try reader.read())
  }
}

extension Channel: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(url)
    writer.write(name)
    writer.write(coverURL)
    writer.write(data)
    writer.write(customType)
    writer.write(isEphemeral)
    writer.write(isFrozen)
    writer.write(operators)
    writer.write(metadata)
    writer.write(survivalSeconds)
    writer.write(createdAt)
    writer.write(group)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      url: try reader.read(), name: try reader.read(), coverURL: try reader.read(),
      data: try reader.read(), customType: try reader.read(), isEphemeral: try reader.read(),
      isFrozen: try reader.read(), operators: try reader.read(), metadata: try reader.read(),
      survivalSeconds: try reader.read(Bool.self)
        ? try reader.readInteger(in: Limits.survivalSeconds) : nil,
      createdAt: try reader.read(), group: try reader.read())
  }
}

extension MetaArray: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(key)
    writer.write(values)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(key: try reader.read(), values: try reader.read())
  }
}

extension MessageFile: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(id)
    writer.write(url)
    writer.write(name)
    writer.write(type)
    writer.write(size)
    writer.write(requiresAuthorization)
    writer.write(thumbnails)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      id: try reader.read(), url: try reader.read(), name: try reader.read(),
      type: try reader.read(), size: try reader.read(), requiresAuthorization: try reader.read(),
      thumbnails: try reader.read())
  }
}

extension ThumbnailSize: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(maxWidth)
    writer.write(maxHeight)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(maxWidth: try reader.read(), maxHeight: try reader.read())
  }
}

extension MessageThumbnail: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(url)
    writer.write(type)
    writer.write(size)
    writer.write(bounds)
    writer.write(width)
    writer.write(height)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      url: try reader.read(), type: try reader.read(), size: try reader.read(),
      bounds: try reader.read(), width: try reader.read(), height: try reader.read())
  }
}

extension FileRecord: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(id)
    writer.write(name)
    writer.write(type)
    writer.write(size)
    writer.write(url)
    writer.write(seal)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      id: try reader.read(), name: try reader.read(), type: try reader.read(),
      size: try reader.read(), url: try reader.read(), seal: try reader.read())
  }
}

extension FileSeal: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(masterKeyID)
    writer.write(keys)
    writer.write(isUnderWay)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      masterKeyID: try reader.read(), keys: try reader.read(), isUnderWay: try reader.read())
  }
}

extension MessageDraft: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(type)
    writer.write(text)
    writer.write(file)
    writer.write(data)
    writer.write(customType)
    writer.write(mentionType)
    writer.write(mentionedUserIDs)
    writer.write(metaArrays)
    writer.write(pushOption)
    writer.write(thumbnailSizes)
    writer.write(translationLanguages)
    writer.write(isSilent)
    writer.write(marksAsRead)
    writer.write(push)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      type: try reader.read(), text: try reader.read(), file: try reader.read(),
      data: try reader.read(), customType: try reader.read(), mentionType: try reader.read(),
      mentionedUserIDs: try reader.read(), metaArrays: try reader.read(),
      pushOption: try reader.read(), thumbnailSizes: try reader.read(),
      translationLanguages: try reader.read())
    isSilent = try reader.read()
    marksAsRead = try reader.read()
    push = try reader.read()
  }
}

extension PushIntent: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .plain: writer.write(case: 0)
    case .shaped(let template):
      writer.write(case: 1)
      writer.write(template.title)
      writer.write(template.body)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .plain
    case 1: self = .shaped(PushMessageTemplate(title: try reader.read(), body: try reader.read()))
    default: throw .unknownCase
    }
  }
}
