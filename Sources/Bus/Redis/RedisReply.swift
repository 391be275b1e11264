internal import CHiredis

/// A reply of a Redis server.
enum RedisReply: Hashable, Sendable {
  case text([UInt8])
  case integer(Int64)
  case null
  case array([RedisReply])
  /// The server's line: a code in capitals, then text.
  case error(String)

  /// The bytes of a text; `nil` for another reply.
  var bytes: [UInt8]? {
    if case .text(let bytes) = self { bytes } else { nil }
  }

  /// Whether this is a text reply equal to an ASCII string.
  func reads(_ text: StaticString) -> Bool {
    guard case .text(let bytes) = self, bytes.count == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { $0.elementsEqual(bytes) }
  }
}

/// The reader of a server's replies, which is safe for any bytes: a reply that is too large, too
/// deep or malformed ends the reader.
final class RedisReader {
  /// A failure of the reader; the rest of the stream cannot be parsed.
  struct Failure: Error, Hashable {
    let reason: String
  }

  /// The maximum size of a reply; a message is one of its parts.
  static let byteLimit = 16_777_216
  /// The maximum number of elements of a reply, including nested ones.
  static let elementLimit = 1024

  private let reader: OpaquePointer

  init() {
    guard let reader = chiredis_reader_create(Self.byteLimit, Self.elementLimit) else {
      preconditionFailure("out of memory")
    }
    self.reader = reader
  }

  deinit { chiredis_reader_free(reader) }

  /// Consumes bytes, and passes on the replies that they complete.
  func receive(
    _ bytes: UnsafeRawBufferPointer, _ body: (RedisReply) -> Void
  ) throws(Failure) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
    guard chiredis_reader_feed(reader, start, bytes.count) == 0 else { throw failure }
    while true {
      var reply: UnsafeMutablePointer<redisReply>?
      guard chiredis_reader_next(reader, &reply) == 0 else { throw failure }
      guard let reply else { return }
      defer { freeReplyObject(reply) }
      body(RedisReply(reply.pointee))
    }
  }

  private var failure: Failure {
    Failure(reason: String(cString: chiredis_reader_error(reader)))
  }
}

extension RedisReply {
  /// Copies a reply; hiredis limits its depth.
  fileprivate init(_ reply: redisReply) {
    switch reply.type {
    case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: self = .text(Self.bytes(reply))
    case REDIS_REPLY_INTEGER: self = .integer(reply.integer)
    case REDIS_REPLY_ERROR: self = .error(String(decoding: Self.bytes(reply), as: UTF8.self))
    case REDIS_REPLY_ARRAY:
      let elements = UnsafeBufferPointer(start: reply.element, count: Int(reply.elements))
      self = .array(elements.map { $0.map { RedisReply($0.pointee) } ?? .null })
    default: self = .null
    }
  }

  private static func bytes(_ reply: redisReply) -> [UInt8] {
    Array(UnsafeRawBufferPointer(start: reply.str, count: Int(reply.len)))
  }
}

/// A command in the protocol's encoding.
enum RedisCommand {
  /// Passes the encoded command to a closure.
  static func encode(_ arguments: [[UInt8]], _ body: (UnsafeRawBufferPointer) -> Void) {
    lend(arguments[...], []) { pointers in
      var command: UnsafeMutablePointer<CChar>?
      var pointers = pointers
      let lengths = arguments.map(\.count)
      let count = redisFormatCommandArgv(&command, Int32(arguments.count), &pointers, lengths)
      guard let command, count >= 0 else { preconditionFailure("out of memory") }
      defer { redisFreeCommand(command) }
      body(UnsafeRawBufferPointer(start: command, count: Int(count)))
    }
  }

  private static func lend(
    _ arguments: ArraySlice<[UInt8]>, _ pointers: [UnsafePointer<CChar>?],
    _ body: ([UnsafePointer<CChar>?]) -> Void
  ) {
    guard let first = arguments.first else { return body(pointers) }
    first.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      lend(arguments.dropFirst(), pointers + [start], body)
    }
  }
}
