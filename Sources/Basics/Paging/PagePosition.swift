/// The place of an item in a list, by which the page after it is found.
package protocol PagePosition {
  /// The position as it stands in a token.
  var positionBytes: [UInt8] { get }

  /// Reads a position; `nil` for bytes that no position has.
  init?(positionBytes: [UInt8])
}

extension Int64: PagePosition {
  /// Eight bytes, the most significant first.
  package var positionBytes: [UInt8] { bigEndianBytes }

  package init?(positionBytes: [UInt8]) {
    self.init(bigEndianBytes: positionBytes)
  }
}

extension String: PagePosition {
  package var positionBytes: [UInt8] { Array(utf8) }

  package init?(positionBytes: [UInt8]) {
    self.init(validating: positionBytes, as: UTF8.self)
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant first.
  package var bigEndianBytes: [UInt8] {
    withUnsafeBytes(of: bigEndian, Array.init)
  }

  /// Reads a number from its bytes, the most significant first; `nil` for any other number of them.
  package init?(bigEndianBytes bytes: some Collection<UInt8>) {
    guard bytes.count == Self.bitWidth / 8 else { return nil }
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }
}
