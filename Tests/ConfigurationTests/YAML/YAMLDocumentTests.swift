import TestSupport
import Testing

@testable import Configuration

@Suite("A YAML document")
struct YAMLDocumentTests {
  private func root(_ text: String) throws -> YAMLNode? {
    try YAMLDocument.root(of: Array(text.utf8))
  }

  private func problem(_ text: String) -> YAMLProblem? {
    #expect(throws: YAMLProblem.self, "\(text)") { try root(text) }
  }

  @Test(
    "scalars of each style are parsed, and plain ones may be null",
    arguments: [
      ("a b", "a b", false), ("'it''s'", "it's", false), (#""\x41\u00e9\0""#, "Aé\u{0}", false),
      ("|\n a\n b\n", "a\nb\n", false), (">-\n a\n b\n", "a b", false), ("12", "12", false),
      ("~", "~", true), ("null", "null", true), ("'null'", "null", false), ("---\n", "", true),
      ("\u{feff}a", "a", false), ("! ~", "~", true),
    ])
  func scalars(text: String, value: String, isNull: Bool) throws {
    let node = try #require(try root(text))
    #expect(node.text == value)
    #expect(node.isNull == isNull)
  }

  @Test("an empty document, or one of comments, contains no value", arguments: ["", "\n", "# a\n"])
  func empty(text: String) throws {
    #expect(try root(text) == nil)
  }

  @Test("values have the line in which they begin")
  func lines() throws {
    let node = try #require(try root("\n# note\na: 1\nb:\n  - x\n  - {c: \n y}\n"))
    guard case .mapping(let members) = node.content,
      case .sequence(let elements) = members[1].value.content,
      case .mapping(let inner) = elements[1].content
    else {
      Issue.record("another shape")
      return
    }
    #expect(node.line == 3)
    #expect(members.map(\.key.line) == [3, 4] && members.map(\.key.text) == ["a", "b"])
    #expect(elements.map(\.line) == [5, 6])
    #expect(inner[0].value.line == 7)
  }

  @Test(
    "an invalid document is refused with its line",
    arguments: [
      ("a: [", 2), ("a: 1\n  b: 2", 2), ("a: 1\nb: 2\na: 3", 3), ("a\n---\nb", 2),
      ("a: &x 1\nb: *x", 2), ("a: \"\\q\"", 1), ("a:\n\tb", 2), ("a: 1\nb: \u{1}", 2),
      ("%YAML 2.0\n---\na", 1),
    ])
  func problems(text: String, line: Int) {
    let found = problem(text)
    #expect(abs((found?.line ?? 0) - line) <= 1, "\(text): \(String(describing: found))")
    #expect(found?.explanation.hasPrefix("expected ") == true)
  }

  @Test("values are nested up to the limit, and no deeper")
  func depth() throws {
    let limit = YAMLDocument.depthLimit
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
      let fits = String(repeating: open, count: limit) + String(repeating: close, count: limit)
      #expect(throws: Never.self) { try root(fits) }
      #expect(problem(open + fits + close)?.explanation.contains("\(limit) levels") == true)
      #expect(problem(String(repeating: open, count: 100_000)) != nil)
    }
    let lines = (0...limit).map { String(repeating: " ", count: $0) + "- \n" }.joined()
    #expect(problem(lines + String(repeating: " ", count: limit + 1) + "- a") != nil)
  }

  @Test("any value written as JSON is parsed unchanged")
  func roundTrip() throws {
    for seed in 1...300 as ClosedRange<UInt64> {
      var random = SeededGenerator(seed: seed)
      let value = Sample.random(depth: 4, using: &random)
      let node = try #require(try root(value.json))
      #expect(Sample(node) == value, "seed \(seed): \(value.json)")
    }
  }
}

/// A value that is known before it is read.
private indirect enum Sample: Equatable {
  case text(String)
  case list([Sample])
  case map([String: Sample])

  private static let characters = Array("ab :,-#'\"\\[]{}*&!|>%@?\n\t\u{0}\u{7f}é\u{2028}\u{1F600}")

  static func random(depth: Int, using random: inout SeededGenerator) -> Sample {
    let count = Int.random(in: 0...4, using: &random)
    switch depth > 0 ? Int.random(in: 0...2, using: &random) : 0 {
    case 1: return .list((0..<count).map { _ in Sample.random(depth: depth - 1, using: &random) })
    case 2:
      var members: [String: Sample] = [:]
      for _ in 0..<count {
        members[text(using: &random)] = Sample.random(depth: depth - 1, using: &random)
      }
      return .map(members)
    default: return .text(text(using: &random))
    }
  }

  private static func text(using random: inout SeededGenerator) -> String {
    String(
      (0..<Int.random(in: 0...6, using: &random)).map { _ in
        characters[Int.random(in: characters.indices, using: &random)]
      })
  }

  init?(_ node: YAMLNode) {
    switch node.content {
    case .scalar(let scalar): self = .text(scalar.text)
    case .sequence(let elements): self = .list(elements.compactMap { Sample($0) })
    case .mapping(let members):
      let pairs = members.compactMap { member in
        member.key.text.flatMap { key in Sample(member.value).map { (key, $0) } }
      }
      self = .map(Dictionary(pairs) { first, _ in first })
    }
  }

  /// The value as JSON, each text with all that is not a letter escaped.
  var json: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .list(let elements): "[" + elements.map(\.json).joined(separator: ", ") + "]"
    case .map(let members):
      "{" + members.map { Self.quoted($0.key) + ": " + $0.value.json }.joined(separator: ", ") + "}"
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = text.unicodeScalars.map { scalar in
      let digits = String(scalar.value, radix: 16)
      return scalar.properties.isAlphabetic
        ? String(scalar) : "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
    }
    return "\"" + escaped.joined() + "\""
  }
}
