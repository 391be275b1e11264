import Basics
import Channels
import Crypto
import Transport

/// The address of an event stream: its place, and a proof that this server has issued it.
///
///     server │ shard │ connection │ HMAC-SHA-256 of these, its first 192 bits
///
/// The proof alone authorises requests, so an address is never logged. It is checked before the stream is
/// looked up, and costs the same for all addresses of the right length.
struct StreamAddress: Sendable, Equatable {
  let shard: ShardAddress
  let stream: ConnectionID

  private static let placeByteCount = 12
  fileprivate static let proofByteCount = 24

  init(_ stream: ConnectionID, on shard: ShardAddress) {
    self.shard = shard
    self.stream = stream
  }

  private var place: [UInt8] {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: shard.server.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: shard.shard.bigEndian) { bytes.append(contentsOf: $0) }
    withUnsafeBytes(of: stream.rawValue.bigEndian) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// The address as text, for the path of requests.
  func text(_ key: StreamKey) -> String {
    Base64URL.encode(place + key.proof(of: place))
  }

  /// The server in an address, which alone can check the proof; `nil` for a text that is no address.
  static func server(in text: String) -> UInt16? {
    guard let bytes = bytes(of: text) else { return nil }
    return UInt16(bytes[0]) << 8 | UInt16(bytes[1])
  }

  /// Reads an address; `nil` unless this server has issued it.
  init?(_ text: String, _ key: StreamKey) {
    guard let bytes = Self.bytes(of: text) else { return nil }
    let place = Array(bytes.prefix(Self.placeByteCount))
    let proof = Array(bytes.dropFirst(Self.placeByteCount))
    guard ConstantTime.areEqual(key.proof(of: place), proof) else { return nil }
    let numbers = place.map(UInt64.init)
    shard = ShardAddress(
      server: UInt16(numbers[0] << 8 | numbers[1]), shard: UInt16(numbers[2] << 8 | numbers[3]))
    stream = ConnectionID(rawValue: numbers[4...].reduce(0) { $0 << 8 | $1 })
  }

  private static func bytes(of text: String) -> [UInt8]? {
    guard text.utf8.count == (placeByteCount + proofByteCount) * 4 / 3,
      let bytes = Base64URL.decode(text.utf8), bytes.count == placeByteCount + proofByteCount
    else { return nil }
    return bytes
  }
}

/// The key of the proofs of one process; 256 random bits.
struct StreamKey: Sendable {
  private let bytes = SecureRandom.bytes(count: 32)

  fileprivate func proof(of place: [UInt8]) -> [UInt8] {
    guard let code = HMACSHA256.code(of: place, under: bytes) else {
      preconditionFailure("OpenSSL has no memory for a code")
    }
    return Array(code.prefix(StreamAddress.proofByteCount))
  }
}
