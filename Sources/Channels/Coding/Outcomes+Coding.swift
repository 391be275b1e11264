package import ParleyProtocol

extension Result: MessageCodable where Success: MessageCodable, Failure == ServiceError {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .success(let value):
      writer.write(case: 0)
      writer.write(value)
    case .failure(let error):
      writer.write(case: 1)
      writer.write(error)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .success(try reader.read())
    case 1: self = .failure(try reader.read())
    default: throw .unknownCase
    }
  }
}

extension ServiceError: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    writer.write(code.rawValue)
    writer.write(message)
    writer.write(data.field)
    writer.write(data.retryAfterMilliseconds)
    writer.write(data.limit)
    writer.write(data.windowMilliseconds)
    writer.write(data.scope)
    writer.write(data.outcome)
    writer.write(data.reason)
    writer.write(data.unsupported)
    writer.write(data.application)
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    self.init(
      ErrorCode(rawValue: try reader.read()), try reader.read(),
      data: ErrorDetails(
        field: try reader.read(), retryAfterMilliseconds: try reader.read(),
        limit: try reader.read(), windowMilliseconds: try reader.read(),
        scope: try reader.read(), outcome: try reader.read(), reason: try reader.read(),
        unsupported: try reader.read(), application: try reader.read()))
    // They are a part of the answer to a client.
    if let details = data.application {
      guard (try? JSONDocument(details))?.root.kind == .object else { throw .invalidValue }
    }
  }
}
