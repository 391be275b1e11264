package import ParleyProtocol

extension LateAddition: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(messageID)
    writer.write(text)
    writer.write(enrichment)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      messageID: try reader.read(), text: try reader.read(), enrichment: try reader.read())
  }
}

extension Enrichment: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .preview(let tag):
      writer.write(case: 0)
      writer.write(tag)
    case .thumbnails(let thumbnails):
      writer.write(case: 1)
      writer.write(thumbnails)
    case .translations(let translations):
      // The failure of the rest concerns only calls, which another home does not answer.
      writer.write(case: 2)
      writer.write(translations.texts)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .preview(try reader.read())
    case 1: self = .thumbnails(try reader.read())
    case 2: self = .translations(MessageTranslations(try reader.read()))
    default: throw .unknownCase
    }
  }
}

extension OpenGraphTag: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(title)
    writer.write(url)
    writer.write(description)
    writer.write(image)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      title: try reader.read(), url: try reader.read(), description: try reader.read(),
      image: try reader.read())
  }
}

extension OpenGraphImage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(url)
    writer.write(secureURL)
    writer.write(type)
    writer.write(Int64(width))
    writer.write(Int64(height))
    writer.write(alt)
    writer.write(originURL)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      url: try reader.read(), secureURL: try reader.read(), type: try reader.read(),
      width: try reader.readInteger(in: Self.pixels),
      height: try reader.readInteger(in: Self.pixels), alt: try reader.read(),
      originURL: try reader.read())
  }

  /// The width and height of a picture.
  private static let pixels = 0...Int64(Int32.max)
}
