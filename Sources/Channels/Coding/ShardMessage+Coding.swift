import ParleyProtocol

extension ShardMessage {
  /// The maximum number of bytes of a message.
  package static let byteLimit = 64 << 20

  /// Encodes the message; the first byte is the version.
  package func encoded() -> [UInt8] {
    var writer = MessageWriter()
    writer.write(case: MessageVersion.current)
    writer.write(self)
    return writer.bytes
  }

  /// Decodes a message.
  ///
  /// - Throws: For bytes that ``encoded()`` does not return for any message.
  package init(decoding bytes: [UInt8]) throws(MessageDecodingError) {
    guard bytes.count <= Self.byteLimit else { throw .unsupported }
    var reader = MessageReader(bytes)
    try reader.readVersion()
    self = try reader.read()
    guard reader.count == 0 else { throw .excessive }
  }
}

extension ShardMessage: MessageCodable {
  package func encode(into writer: inout MessageWriter) {
    switch self {
    case .channel(let url, let message):
      writer.write(case: 0)
      writer.write(url)
      writer.write(message)
    case .user(let id, let message):
      writer.write(case: 1)
      writer.write(id)
      writer.write(message)
    case .session(let address, let message):
      writer.write(case: 2)
      writer.write(address)
      writer.write(message)
    case .exchange(let address, let outcome):
      writer.write(case: 3)
      writer.write(address)
      writer.write(outcome)
    case .shard(let address, let task):
      writer.write(case: 4)
      writer.write(address)
      writer.write(task)
    case .stage(let server, let url, let message):
      writer.write(case: 5)
      writer.write(server)
      writer.write(url)
      writer.write(message)
    }
  }

  package init(from reader: inout MessageReader) throws(MessageDecodingError) {
    switch try reader.readCase() {
    case 0: self = .channel(url: try reader.read(), try reader.read())
    case 1: self = .user(id: try reader.read(), try reader.read())
    case 2: self = .session(try reader.read(), try reader.read())
    case 3: self = .exchange(try reader.read(), try reader.read())
    case 4: self = .shard(try reader.read(), try reader.read())
    case 5:
      self = .stage(server: try reader.read(), url: try reader.read(), try reader.read())
    default: throw .unknownCase
    }
  }
}
