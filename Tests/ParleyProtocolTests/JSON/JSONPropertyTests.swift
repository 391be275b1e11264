import ParleyProtocol
import Testing
import TestSupport

/// A JSON value as a tree, to compare texts by what they mean.
private indirect enum Tree: Equatable {
  case null
  case bool(Bool)
  case integer(Int64)
  case string(String)
  case array([Tree])
  case object([Member])

  struct Member: Equatable {
    var name: String
    var value: Tree
  }

  init?(_ node: JSONNode) {
    switch node.kind {
    case .null: self = .null
    case .bool: self = .bool(node.bool ?? false)
    case .number:
      guard let number = node.integer else { return nil }
      self = .integer(number)
    case .string: self = .string(node.string ?? "")
    case .array: self = .array(node.elements.compactMap(Tree.init))
    case .object:
      self = .object(
        node.members.compactMap { name, node in
          Tree(node).map { Member(name: name, value: $0) }
        })
    }
  }

  init(depth: Int, using generator: inout SeededGenerator) {
    switch Int.random(in: 0..<(depth == 0 ? 4 : 6), using: &generator) {
    case 0: self = .null
    case 1: self = .bool(.random(using: &generator))
    case 2: self = .integer(Int64.random(in: .min ... .max, using: &generator))
    case 3: self = .string(Self.text(using: &generator))
    case 4:
      let count = Int.random(in: 0...4, using: &generator)
      self = .array((0..<count).map { _ in Tree(depth: depth - 1, using: &generator) })
    default:
      let count = Int.random(in: 0...20, using: &generator)
      self = .object(
        (0..<count).map { index in
          let name = "\(index)" + Self.text(using: &generator)
          return Member(name: name, value: Tree(depth: depth - 1, using: &generator))
        })
    }
  }

  private static func text(using generator: inout SeededGenerator) -> String {
    var text = ""
    for _ in 0..<Int.random(in: 0...12, using: &generator) {
      let ranges: [ClosedRange<UInt32>] = [
        0...0x7f, 0...0x7ff, 0x800...0xd7ff, 0x1_0000...0x10_ffff,
      ]
      let range = ranges[Int.random(in: 0..<ranges.count, using: &generator)]
      guard let scalar = Unicode.Scalar(UInt32.random(in: range, using: &generator)) else {
        continue
      }
      text.unicodeScalars.append(scalar)
    }
    return text
  }

  func write(into writer: inout JSONWriter) {
    switch self {
    case .null: writer.null()
    case .bool(let claim): writer.value(claim)
    case .integer(let number): writer.value(number)
    case .string(let text): writer.value(text)
    case .array(let values): writer.array { for value in values { value.write(into: &$0) } }
    case .object(let members):
      writer.object {
        for member in members {
          $0.name(escaping: member.name)
          member.value.write(into: &$0)
        }
      }
    }
  }
}

@Suite("JSON round trips")
struct JSONPropertyTests {
  @Test("any value is read back as it was written", arguments: 0..<300 as Range<UInt64>)
  func roundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let tree = Tree(depth: 4, using: &generator)
    let limits = JSONLimits(nodeCount: 1_000_000)
    let document = try JSONDocument(JSONWriter.bytes { tree.write(into: &$0) }, limits: limits)
    #expect(Tree(document.root) == tree, "seed \(seed)")
  }

  @Test("written JSON that is damaged is read or refused", arguments: 0..<300 as Range<UInt64>)
  func damage(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let tree = Tree(depth: 3, using: &generator)
    let bytes = JSONWriter.bytes { tree.write(into: &$0) }
    for _ in 0..<20 {
      var damaged = bytes
      let place = Int.random(in: 0..<damaged.count, using: &generator)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: damaged[place] = .random(in: 0...255, using: &generator)
      case 1: damaged.remove(at: place)
      default: damaged.removeSubrange(place...)
      }
      exercise(damaged)
    }
  }

  @Test("random bytes are read or refused", arguments: 0..<300 as Range<UInt64>)
  func noise(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("{}[]\",:\\u0d89eE+-. tfn\u{e9}".utf8)
    for _ in 0..<20 {
      let count = Int.random(in: 0...40, using: &generator)
      exercise(
        (0..<count).map { _ in
          generator.oneIn(8)
            ? .random(in: 0...255, using: &generator)
            : alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
        })
    }
  }

  /// Reads a text and everything in it, by every accessor.
  private func exercise(_ bytes: [UInt8]) {
    guard let document = try? JSONDocument(bytes) else { return }
    var pending = [document.root]
    while let node = pending.popLast() {
      _ = (node.string, node.integer, node.number, node.bool, node.raw, node["a"])
      pending.append(contentsOf: node.elements)
      pending.append(contentsOf: node.members.map(\.node))
    }
    _ = RPCInput(bytes)
  }
}
