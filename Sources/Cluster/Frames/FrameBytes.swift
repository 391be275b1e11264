/// The bytes of a frame that is being encoded.
struct FrameWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  /// Appends a number in little-endian order.
  mutating func write(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func write(_ truth: Bool) { bytes.append(truth ? 1 : 0) }

  mutating func write(_ more: [UInt8]) { bytes.append(contentsOf: more) }
}

/// The bytes of a frame that are not decoded yet.
struct FrameReader {
  private let bytes: [UInt8]
  private var position = 0
  private let end: Int

  /// - Parameter end: The number of bytes that may be read.
  init(_ bytes: [UInt8], end: Int) {
    self.bytes = bytes
    self.end = end
  }

  var isAtEnd: Bool { position == end }

  mutating func read<Number: FixedWidthInteger>(
    _: Number.Type = Number.self
  ) throws(FrameError) -> Number {
    let size = Number.bitWidth / 8
    guard end - position >= size else { throw .truncated }
    var number: UInt64 = 0
    for byte in bytes[position..<position + size].reversed() {
      number = number << 8 | UInt64(byte)
    }
    position += size
    return Number(truncatingIfNeeded: number)
  }

  mutating func readTruth() throws(FrameError) -> Bool {
    switch try read(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw .invalidValue
    }
  }

  /// The remaining bytes.
  mutating func rest() -> [UInt8] {
    defer { position = end }
    return Array(bytes[position..<end])
  }
}
