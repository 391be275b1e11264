/// Converts the position where a page of a list ended into an opaque token for callers, and back.
///
///     base64url( checksum: 4 bytes ) | "." position, when that is visible ASCII
///                                    | "~" base64url( position ), else
///
/// The checksum also covers the list and its filters, so a token is refused by any other list. It is not
/// secret: a position invented by a caller must be harmless.
package struct PageCursor<Position: PagePosition>: Sendable {
  /// The length limit of tokens: positions are numbers, names or a link.
  private static var longestToken: Int { 2_560 }
  private static var checksumLength: Int { 6 }

  private let list: [String]

  /// - Parameter list: The list and its filters.
  package init(of list: [String]) {
    self.list = list
  }

  /// Returns the token of the page that begins after a position.
  package func token(after position: Position) -> String {
    token(position.positionBytes)
  }

  /// Returns the position of a token; `nil` for a token that is not from this list.
  package func position(in token: String) -> Position? {
    let characters = Array(token.utf8)
    guard characters.count <= Self.longestToken, characters.count > Self.checksumLength else {
      return nil
    }
    let text = characters[(Self.checksumLength + 1)...]
    let bytes: [UInt8]? =
      switch characters[Self.checksumLength] {
      case UInt8(ascii: "."): Array(text)
      case UInt8(ascii: "~"): Base64URL.decode(text)
      default: nil
      }
    // Each position has exactly one token, with a valid checksum.
    guard let bytes, self.token(bytes).utf8.elementsEqual(characters) else { return nil }
    return Position(positionBytes: bytes)
  }

  private func token(_ position: [UInt8]) -> String {
    let checksum = Base64URL.encode(checksum(position).bigEndianBytes)
    return position.allSatisfy({ (0x21...0x7e).contains($0) })
      ? "\(checksum).\(String(decoding: position, as: UTF8.self))"
      : "\(checksum)~\(Base64URL.encode(position))"
  }

  /// FNV-1a; the parts are separated by a byte that does not occur in UTF-8.
  private func checksum(_ position: [UInt8]) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    func add(_ byte: UInt8) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    position.forEach(add)
    for part in list {
      add(0xFF)
      part.utf8.forEach(add)
    }
    return hash
  }
}

/// The position of an item in a list, by which the page after it is found.
package protocol PagePosition {
  /// The position as encoded in a token.
  var positionBytes: [UInt8] { get }

  /// Decodes a position; `nil` for invalid bytes.
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
    self.init(wellFormed: positionBytes)
  }
}

extension FixedWidthInteger {
  /// The bytes of the number, the most significant first.
  package var bigEndianBytes: [UInt8] {
    withUnsafeBytes(of: bigEndian, Array.init)
  }

  /// Decodes a number from its bytes, the most significant first; `nil` for any other number of bytes.
  package init?(bigEndianBytes bytes: some Collection<UInt8>) {
    guard bytes.count == Self.bitWidth / 8 else { return nil }
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }
}
