internal import Basics
internal import Yams

/// Reads settings out of a YAML or JSON file: nested keys, dotted keys, or both.
struct FileReader {
  /// More nodes than any sensible file has; what aliases stand for is counted each time.
  private static let nodeLimit = 10_000
  /// A file with more problems is not a file of settings.
  private static let problemLimit = 50
  /// No setting's name has more parts.
  private static let depthLimit = 16

  private let path: String
  private let table: SettingsTable
  private var reading = SettingsReading()
  private var nodeCount = 0
  private var hasTooManyNodes: Bool { nodeCount > Self.nodeLimit }

  private var hasTooManyProblems: Bool { reading.problems.count >= Self.problemLimit }

  static func read(
    path: String, of table: SettingsTable, using readFile: SettingsLoader.ReadFile
  ) -> SettingsReading {
    var reader = FileReader(path: DisplayText.name(path), table: table)
    do {
      let bytes = try readFile(path)
      if let root = reader.parse(bytes) { reader.takeRoot(root) }
    } catch {
      reader.refuseFile("the file cannot be read: \(error.reason)")
    }
    return reader.reading
  }

  private init(path: String, table: SettingsTable) {
    self.path = path
    self.table = table
  }

  private mutating func parse(_ bytes: [UInt8]) -> Node? {
    guard bytes.count <= SettingsFile.maximumBytes else {
      refuseFile("expected a file of at most \(SettingsFile.maximumBytes) bytes")
      return nil
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      refuseFile("expected UTF-8")
      return nil
    }
    guard AliasCount.isSmall(in: text) else {
      refuseFile("expected at most \(AliasCount.limit) aliases")
      return nil
    }
    do {
      return try Parser(yaml: text, encoding: .utf8).singleRoot()
    } catch {
      refuse(error)
      return nil
    }
  }

  private mutating func takeRoot(_ root: Node) {
    guard !isNull(root) else { return }
    guard root.mapping != nil else {
      refuseFile("expected names of settings with their values", at: root)
      return
    }
    take(root, at: [])
    if hasTooManyNodes {
      refuseFile("expected at most \(Self.nodeLimit) entries")
    } else if hasTooManyProblems {
      refuseFile("expected fewer problems; the rest of the file has not been looked at")
    }
  }

  private mutating func take(_ node: Node, at name: [String]) {
    guard !hasTooManyNodes, !hasTooManyProblems else { return }
    nodeCount += 1
    guard name.count <= Self.depthLimit else {
      refuseUnknown(name, at: node)
      return
    }
    let definition = table.definition(named: name.joined(separator: "."))
    switch (node, definition) {
    case (.mapping(let mapping), nil):
      for (key, value) in mapping { take(value, under: name, key: key) }
    case (_, nil):
      refuseUnknown(name, at: node)
    case (.mapping, let definition?):
      reading.refuse(
        definition.name, "expected \(definition.expected), not a group", from: place(node))
    case (_, let definition?):
      store(node, definition)
    }
  }

  private mutating func take(_ value: Node, under name: [String], key: Node) {
    guard case .scalar(let scalar) = key else {
      refuseFile("expected texts as names of settings", at: key)
      return
    }
    take(value, at: name + [scalar.string])
  }

  private mutating func store(_ node: Node, _ definition: SettingDefinition) {
    guard !isNull(node) else { return }
    guard !reading.given.contains(where: { $0.definition.name == definition.name }) else {
      reading.refuse(definition.name, "expected once, but it is given twice", from: place(node))
      return
    }
    if case .scalar(let scalar) = node {
      reading.give(definition, text: scalar.string, from: place(node))
    } else if let values = texts(in: node), case .list = definition.shape {
      reading.give(definition, values, from: place(node))
    } else {
      reading.refuse(
        definition.name, "expected \(definition.expected), not a list", from: place(node))
    }
  }

  /// The values of a list; `nil` when there is something else than texts in it.
  private mutating func texts(in node: Node) -> [String]? {
    guard case .sequence(let sequence) = node else { return nil }
    nodeCount += sequence.count
    guard !hasTooManyNodes else { return [] }
    var values: [String] = []
    for case .scalar(let scalar) in sequence { values.append(scalar.string) }
    return values.count == sequence.count ? values : nil
  }

  private func isNull(_ node: Node) -> Bool {
    guard case .scalar(let scalar) = node, scalar.style == .plain || scalar.style == .any else {
      return false
    }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
  }

  private mutating func refuseUnknown(_ parts: [String], at node: Node) {
    let name = parts.joined(separator: ".")
    guard !Program.someHasSetting(named: name) else { return }
    let names = table.all.map(\.name)
    let group = names.contains { $0.hasPrefix(name + ".") }
    let explanation =
      group
      ? "expected settings of this group, not a value"
      : "unknown setting" + NearestName.hint(for: name, among: names)
    reading.refuse(DisplayText.name(name), explanation, from: place(node))
  }

  private mutating func refuse(_ error: any Error) {
    guard let error = error as? YamlError else {
      refuseFile("expected YAML or JSON")
      return
    }
    let (explanation, line) = YAMLProblem.describe(error)
    reading.refuse("configuration file", explanation, from: .file(path: path, line: line))
  }

  private mutating func refuseFile(_ explanation: String, at node: Node? = nil) {
    reading.refuse(
      "configuration file", explanation, from: .file(path: path, line: node?.mark?.line))
  }

  private func place(_ node: Node) -> SettingSource {
    .file(path: path, line: node.mark?.line)
  }
}

/// Describes why the YAML parser cannot read a file.
enum YAMLProblem {
  /// The problem in one line that shows nothing of the file's values, and the line it is in.
  static func describe(_ error: YamlError) -> (explanation: String, line: Int?) {
    switch error {
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
      .composer(_, let problem, let mark, _):
      ("expected YAML or JSON, but \(problem)", mark.line)
    case .reader(let problem, _, _, _):
      ("expected YAML or JSON, but \(problem)", nil)
    case .duplicatedKeysInMapping(let duplicates, let context):
      ("expected every key once, but \(list(duplicates)) is there twice", context.mark.line)
    default:
      ("expected YAML or JSON", nil)
    }
  }

  private static func list(_ keys: [String]) -> String {
    keys.prefix(5).map { DisplayText.quoted($0) }.joined(separator: ", ")
  }
}

/// Counts the aliases of a YAML text before it is parsed.
///
/// A few lines of aliases to lists of aliases stand for billions of nodes. Sixteen aliases cannot
/// stand for more than a few hundred times the file.
enum AliasCount {
  static let limit = 16

  /// Whether the text has few aliases, counting everything that could be one: an asterisk where a
  /// value or key may begin.
  static func isSmall(in text: String) -> Bool {
    var count = 0
    var previous = UInt8(ascii: "\n")
    for byte in text.utf8 {
      if byte == UInt8(ascii: "*"), canPrecedeValue(previous) { count += 1 }
      previous = byte
    }
    return count <= limit
  }

  private static func canPrecedeValue(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x0a, 0x0d, 0x20, UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: ","),
      UInt8(ascii: ":"), UInt8(ascii: "?"), UInt8(ascii: "-"):
      true
    default: byte >= 0x80
    }
  }
}
