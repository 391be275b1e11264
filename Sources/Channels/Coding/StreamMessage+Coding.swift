import ParleyProtocol

extension StreamMessage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .request(let request):
      writer.write(case: 0)
      writer.write(request)
    case .answer(let answer, let exchange):
      writer.write(case: 1)
      writer.write(answer)
      writer.write(exchange)
    case .events(let bytes, let exchange):
      writer.write(case: 2)
      writer.write(bytes)
      writer.write(exchange)
    case .end(let exchange):
      writer.write(case: 3)
      writer.write(exchange)
    case .written(let byteCount, let exchange):
      writer.write(case: 4)
      writer.write(byteCount)
      writer.write(exchange)
    case .abandoned(let exchange):
      writer.write(case: 5)
      writer.write(exchange)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .request(try reader.read())
    case 1: self = .answer(try reader.read(), to: try reader.read())
    case 2: self = .events(try reader.read(), to: try reader.read())
    case 3: self = .end(try reader.read())
    case 4:
      self = .written(
        byteCount: try reader.readInteger(in: ClosedRange.counts), of: try reader.read())
    case 5: self = .abandoned(try reader.read())
    default: throw .unknownCase
    }
  }
}

extension StreamRequest: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(address)
    writer.write(action)
    writer.write(exchange)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      address: try reader.read(), try reader.read(), from: try reader.read())
  }
}

extension StreamRequest.Action: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .read(let reading):
      writer.write(case: 0)
      writer.write(reading)
    case .post(let message, let after):
      writer.write(case: 1)
      writer.write(message)
      writer.write(after)
    case .close: writer.write(case: 2)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .read(try reader.read())
    case 1: self = .post(try reader.read(), after: try reader.read())
    case 2: self = .close
    default: throw .unknownCase
    }
  }
}

extension StreamReading: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(after)
    writer.write(isPoll)
    writer.write(padding)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      after: try reader.read(), isPoll: try reader.read(),
      padding: try reader.readInteger(in: 0...Int64(Self.maximumPadding)))
  }
}

extension StreamAnswer: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .accepted: writer.write(case: 0)
    case .closed: writer.write(case: 1)
    case .events(let shard):
      writer.write(case: 2)
      writer.write(shard)
    case .gone: writer.write(case: 3)
    case .unknown: writer.write(case: 4)
    case .refused(let error):
      writer.write(case: 5)
      writer.write(error)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .accepted
    case 1: self = .closed
    case 2: self = .events(from: try reader.read())
    case 3: self = .gone
    case 4: self = .unknown
    case 5: self = .refused(try reader.read())
    default: throw .unknownCase
    }
  }
}
