internal import Basics

/// Reads settings from a YAML or JSON file with nested keys, dotted keys, or both.
struct FileReader {
  /// The maximum number of nodes; more than any real file has.
  private static let nodeLimit = 10_000
  /// The maximum number of problems; a file with more is not a settings file.
  private static let problemLimit = 50
  /// The maximum depth; no setting's name has more parts.
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

  private mutating func parse(_ bytes: [UInt8]) -> YAMLNode? {
    guard bytes.count <= SettingsFile.maximumBytes else {
      refuseFile("expected a file of at most \(SettingsFile.maximumBytes) bytes")
      return nil
    }
    guard String(validating: bytes, as: UTF8.self) != nil else {
      refuseFile("expected UTF-8")
      return nil
    }
    do throws(YAMLProblem) {
      return try YAMLDocument.root(of: bytes)
    } catch {
      reading.refuse(
        "configuration file", error.explanation, from: .file(path: path, line: error.line))
      return nil
    }
  }

  private mutating func takeRoot(_ root: YAMLNode) {
    guard !root.isNull else { return }
    guard case .mapping = root.content else {
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

  private mutating func take(_ node: YAMLNode, at name: [String]) {
    guard !hasTooManyNodes, !hasTooManyProblems else { return }
    nodeCount += 1
    guard name.count <= Self.depthLimit else {
      refuseUnknown(name, at: node)
      return
    }
    let definition = table.definition(named: name.joined(separator: "."))
    switch (node.content, definition) {
    case (.mapping(let mapping), nil):
      for member in mapping { take(member.value, under: name, key: member.key) }
    case (_, nil):
      refuseUnknown(name, at: node)
    case (.mapping(let members), let definition?):
      switch definition.shape {
      case .table: store(members.map { ($0.key, $0.value) }, in: node, definition)
      case .records: store(node, definition)
      case .single, .toggle, .list:
        reading.refuse(
          definition.name, "expected \(definition.expected), not a group", from: place(node))
      }
    case (_, let definition?):
      store(node, definition)
    }
  }

  private mutating func take(_ value: YAMLNode, under name: [String], key: YAMLNode) {
    guard let text = key.text else {
      refuseFile("expected texts as names of settings", at: key)
      return
    }
    take(value, at: name + [text])
  }

  private mutating func store(_ node: YAMLNode, _ definition: SettingDefinition) {
    guard !node.isNull, isFirst(definition, at: node) else { return }
    if let text = node.text {
      reading.give(definition, text: text, from: place(node))
    } else if let values = values(in: node, definition.shape) {
      reading.give(definition, values, from: place(node))
    } else {
      let ending =
        switch definition.shape {
        case .single, .toggle, .list, .table: ", not a list"
        case .records: ", each a text without spaces"
        }
      reading.refuse(
        definition.name, "expected \(definition.expected)" + ending, from: place(node))
    }
  }

  /// The values of a list; `nil` for anything else, and for a list with values of other kinds.
  private mutating func values(in node: YAMLNode, _ shape: SettingDefinition.Shape) -> [String]? {
    switch shape {
    case .single, .toggle: nil
    case .list, .table: texts(in: node)
    case .records: records(in: node)
    }
  }

  /// Stores the members of a group as values `name=value`.
  private mutating func store(
    _ members: [(key: YAMLNode, value: YAMLNode)], in node: YAMLNode,
    _ definition: SettingDefinition
  ) {
    nodeCount += members.count
    guard !hasTooManyNodes, isFirst(definition, at: node) else { return }
    var values: [String] = []
    for (key, value) in members {
      guard let name = key.text, let text = value.text else {
        reading.refuse(
          definition.name, "expected texts: \(definition.expected)", from: place(value))
        return
      }
      values.append("\(name)=\(text)")
    }
    reading.give(definition, values, from: place(node))
  }

  private mutating func isFirst(_ definition: SettingDefinition, at node: YAMLNode) -> Bool {
    let isGiven = reading.given.contains { $0.definition.name == definition.name }
    if isGiven {
      reading.refuse(definition.name, "expected once, but it is given twice", from: place(node))
    }
    return !isGiven
  }

  /// The values of a list; `nil` when it contains anything other than texts.
  private mutating func texts(in node: YAMLNode) -> [String]? {
    guard case .sequence(let elements) = node.content else { return nil }
    nodeCount += elements.count
    guard !hasTooManyNodes else { return [] }
    let values = elements.compactMap(\.text)
    return values.count == elements.count ? values : nil
  }

  /// The values of a list of texts and groups, or of one group: a group as its members, `a=x b=y`, with
  /// the texts of a list in a member joined by `+`.
  private mutating func records(in node: YAMLNode) -> [String]? {
    let elements: [YAMLNode]
    switch node.content {
    case .sequence(let list): elements = list
    case .mapping: elements = [node]
    case .scalar: return nil
    }
    nodeCount += elements.count
    var values: [String] = []
    for element in elements {
      guard !hasTooManyNodes else { return [] }
      if let text = element.text {
        values.append(text)
        continue
      }
      guard case .mapping(let members) = element.content else { return nil }
      nodeCount += members.count
      var parts: [String] = []
      for member in members where !member.value.isNull {
        guard let name = member.key.text,
          let text = member.value.text ?? texts(in: member.value)?.joined(separator: "+"),
          !text.contains(" ")
        else { return nil }
        parts.append("\(name)=\(text)")
      }
      values.append(parts.joined(separator: " "))
    }
    return values
  }

  private mutating func refuseUnknown(_ parts: [String], at node: YAMLNode) {
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

  private mutating func refuseFile(_ explanation: String, at node: YAMLNode? = nil) {
    reading.refuse(
      "configuration file", explanation, from: .file(path: path, line: node?.line))
  }

  private func place(_ node: YAMLNode) -> SettingSource {
    .file(path: path, line: node.line)
  }
}
