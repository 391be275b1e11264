internal import Basics

/// The keys that wrap all other keys of a deployment, in the operator's format.
///
/// A text of lines, each with an id and a key in base64, separated by a space. The first key is the
/// current one; the others unwrap keys that were wrapped with them before. Blank lines and lines that
/// begin with `#` are ignored.
///
///     2026-11 n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=
///     2026-05 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
package struct MasterKeys: Sendable {
  /// The maximum number of keys, so that a file with other content is detected.
  package static let countLimit = 100
  /// The maximum length of an id: letters, digits, `.`, `_` and `-`.
  package static let idLimit = 64

  /// The key for wrapping from now on.
  package let current: MasterKey
  private let others: [MasterKey]

  /// Creates keys with a single one.
  package init(_ current: MasterKey) {
    self.current = current
    others = []
  }

  /// Parses a text.
  ///
  /// - Throws: ``MasterKeysError``, which names the line and never a key.
  package init(text: String) throws(MasterKeysError) {
    var keys: [MasterKey] = []
    var ids: Set<String> = []
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let parts = line.split(whereSeparator: \.isWhitespace)
      guard let first = parts.first, !first.hasPrefix("#") else { continue }
      guard keys.count < Self.countLimit else { throw .tooMany }
      let key = try Self.key(parts, line: index + 1)
      guard ids.insert(key.id).inserted else { throw .repeatedID(key.id, line: index + 1) }
      keys.append(key)
    }
    guard let current = keys.first else { throw .empty }
    self.current = current
    others = Array(keys.dropFirst())
  }

  private static func key(
    _ parts: [Substring], line: Int
  ) throws(MasterKeysError) -> MasterKey {
    guard parts.count == 2 else { throw .malformedLine(line) }
    guard MasterKey.isID(parts[0].utf8) else { throw .malformedID(line: line) }
    guard let bytes = Base64.decode(String(parts[1])), let key = SymmetricKey(bytes) else {
      throw .malformedKey(line: line)
    }
    return MasterKey(id: String(parts[0]), key: key)
  }

  private init(current: MasterKey, others: [MasterKey]) {
    self.current = current
    self.others = others
  }

  /// All keys, the current one first.
  package var all: [MasterKey] { [current] + others }

  /// The key with an id.
  package subscript(id: String) -> MasterKey? { all.first { $0.id == id } }

  /// The keys with a new current one.
  ///
  /// - Precondition: No other key has its id.
  package func rotated(to key: MasterKey) -> MasterKeys {
    precondition(self[key.id] == nil)
    return MasterKeys(current: key, others: all)
  }

  /// The text from which these keys can be parsed.
  package var text: String {
    all.map { "\($0.id) \(Base64.encode($0.key.bytes))\n" }.joined()
  }
}

/// A key that wraps others, with the id by which wrapped keys refer to it.
package struct MasterKey: Sendable {
  package let id: String
  package let key: SymmetricKey

  /// - Precondition: The id has the form that ``MasterKeys`` parses.
  package init(id: String, key: SymmetricKey = SymmetricKey()) {
    precondition(Self.isID(id.utf8))
    self.id = id
    self.key = key
  }

  static func isID(_ text: some Collection<UInt8>) -> Bool {
    (1...MasterKeys.idLimit).contains(text.count)
      && text.allSatisfy { character in
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }
}

/// The reason why a text of master keys cannot be used.
package enum MasterKeysError: Error, Equatable, Sendable {
  case empty
  case tooMany
  case malformedLine(Int)
  case malformedID(line: Int)
  case malformedKey(line: Int)
  case repeatedID(String, line: Int)
}

extension MasterKeysError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .empty: "there is no key in it; a line is an id and 32 bytes in base64"
    case .tooMany: "there are more than \(MasterKeys.countLimit) keys in it"
    case .malformedLine(let line): "line \(line) is not an id and a key with a space between"
    case .malformedID(let line):
      "line \(line): an id has 1 to \(MasterKeys.idLimit) letters, digits, '.', '_' and '-'"
    case .malformedKey(let line): "line \(line): a key is 32 bytes in base64, 44 characters"
    case .repeatedID(let id, let line): "line \(line): the id '\(id)' stands there a second time"
    }
  }
}
