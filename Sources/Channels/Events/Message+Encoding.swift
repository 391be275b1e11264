package import ParleyProtocol

extension Message {
  /// The message as clients see it, as a JSON text.
  package func encoded() -> [UInt8] {
    JSONWriter.bytes(reserving: 384 + text.utf8.count + data.utf8.count) { encode(into: &$0) }
  }
}
