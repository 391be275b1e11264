/// A parameter of an extension (RFC 6455 §9.1).
struct ExtensionParameter: Equatable {
  var name: String
  var value: String?
}

/// One element of `Sec-WebSocket-Extensions`: a name and its parameters (RFC 6455 §9.1).
struct ExtensionOffer: Equatable {
  var name: String
  var parameters: [ExtensionParameter]

  /// Parses one element of the list, or returns `nil` when it is malformed.
  init?(_ text: String) {
    var reader = TokenReader(text)
    guard let name = reader.token() else { return nil }
    self.name = name
    parameters = []
    while !reader.isAtEnd {
      guard reader.skip(";"), let name = reader.token() else { return nil }
      var parameter = ExtensionParameter(name: name, value: nil)
      if reader.skip("=") {
        guard let value = reader.tokenOrQuotedToken() else { return nil }
        parameter.value = value
      }
      parameters.append(parameter)
    }
  }
}

/// Reads tokens and the separators between them, skipping white space.
private struct TokenReader {
  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = ArraySlice(text.utf8)
    skipBlanks()
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func skip(_ sign: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: sign) else { return false }
    rest.removeFirst()
    skipBlanks()
    return true
  }

  mutating func token() -> String? {
    let token = rest.prefix(while: Self.isTokenByte)
    guard !token.isEmpty else { return nil }
    rest.removeFirst(token.count)
    skipBlanks()
    return String(decoding: token, as: UTF8.self)
  }

  /// A quoted value must be a token after unquoting (RFC 6455 §9.1), so only the quotes matter.
  mutating func tokenOrQuotedToken() -> String? {
    guard rest.first == UInt8(ascii: "\"") else { return token() }
    rest.removeFirst()
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "\"") {
        skipBlanks()
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
      }
      let isEscape = byte == UInt8(ascii: "\\")
      guard let plain = isEscape ? rest.popFirst() : byte, Self.isTokenByte(plain) else {
        return nil
      }
      value.append(plain)
    }
    return nil
  }

  private mutating func skipBlanks() {
    rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default:
      "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}
