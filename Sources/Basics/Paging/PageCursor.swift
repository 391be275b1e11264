/// Turns the place where a page of a list ended into a token that callers only hand back, and back
/// again.
///
///     base64url( checksum: 4 bytes ) | "." position, when that is visible ASCII
///                                    | "~" base64url( position ), else
///
/// The checksum covers the list and its filters too, so a token is refused by any other list. It is
/// no secret: a position that a caller makes up must be harmless.
package struct PageCursor<Position: PagePosition>: Sendable {
  /// Positions are numbers, names or a link: a longer token is none of ours.
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

  /// Returns the position that a token stands for; `nil` for a token that is not one of this list.
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
    // There is one token for each position, and its checksum is right.
    guard let bytes, self.token(bytes).utf8.elementsEqual(characters) else { return nil }
    return Position(positionBytes: bytes)
  }

  private func token(_ position: [UInt8]) -> String {
    let checksum = Base64URL.encode(checksum(position).bigEndianBytes)
    return position.allSatisfy({ (0x21...0x7e).contains($0) })
      ? "\(checksum).\(String(decoding: position, as: UTF8.self))"
      : "\(checksum)~\(Base64URL.encode(position))"
  }

  /// FNV-1a, the parts kept apart by a byte that UTF-8 does not have.
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
