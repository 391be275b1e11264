/// A message on its way from one server to another.
package struct RelayedMessage: Sendable {
  /// The maximum number of servers that pass a message on.
  package static let passLimit: UInt8 = 3

  package let message: ShardMessage
  /// The servers that have passed the message on because the receiver was not there.
  package let passCount: UInt8

  package init(_ message: ShardMessage, passCount: UInt8 = 0) {
    self.message = message
    self.passCount = passCount
  }

  /// Encodes the message; the first byte is the version.
  package func encoded() -> [UInt8] {
    var writer = MessageWriter()
    writer.write(case: MessageVersion.current)
    writer.write(case: passCount)
    writer.write(message)
    return writer.bytes
  }

  /// Decodes a message.
  ///
  /// - Throws: For bytes that ``encoded()`` does not return for any message.
  package init(decoding bytes: [UInt8]) throws(MessageDecodingError) {
    guard bytes.count <= ShardMessage.byteLimit else { throw .unsupported }
    var reader = MessageReader(bytes)
    try reader.readVersion()
    passCount = try reader.readCase()
    guard passCount <= Self.passLimit else { throw .invalidValue }
    message = try reader.read()
    guard reader.count == 0 else { throw .excessive }
  }
}
