internal import Basics

/// Parses one YAML or JSON document.
///
/// Aliases are refused, because a few lines of them can represent billions of values.
package struct YAMLDocument: ~Copyable {
  /// The maximum depth of nested sequences and mappings.
  static let depthLimit = 64

  private var events: YAMLEvents

  /// Returns the document's value; `nil` when the text has none.
  ///
  /// - Parameter text: UTF-8, limited in size by the caller.
  package static func root(of text: [UInt8]) throws(YAMLProblem) -> YAMLNode? {
    try text.withUnsafeBufferPointer { bytes throws(YAMLProblem) in
      var document = YAMLDocument(events: YAMLEvents(bytes))
      return try document.root()
    }
  }

  private mutating func root() throws(YAMLProblem) -> YAMLNode? {
    guard case .documentBegins = try events.next() else { return nil }
    let root = try node(try events.next(), depth: 0)
    _ = try events.next()
    if case .documentBegins(let line) = try events.next() {
      throw YAMLProblem(explanation: "expected one document, but a second one begins", line: line)
    }
    return root
  }

  private mutating func node(
    _ event: YAMLEvent, depth: Int
  ) throws(YAMLProblem) -> YAMLNode {
    switch event {
    case .scalar(let scalar, let line): return YAMLNode(content: .scalar(scalar), line: line)
    case .sequenceBegins(let line):
      try check(depth, line)
      return YAMLNode(content: .sequence(try elements(depth: depth + 1)), line: line)
    case .mappingBegins(let line):
      try check(depth, line)
      return YAMLNode(content: .mapping(try members(depth: depth + 1)), line: line)
    case .alias(let line):
      throw YAMLProblem(
        explanation: "expected no aliases (*); write the value again in its place", line: line)
    case .sequenceEnds, .mappingEnds, .documentBegins, .documentEnds, .textEnds:
      throw YAMLProblem(explanation: "expected a value", line: nil)
    }
  }

  private func check(_ depth: Int, _ line: Int) throws(YAMLProblem) {
    guard depth < Self.depthLimit else {
      throw YAMLProblem(
        explanation: "expected at most \(Self.depthLimit) levels of values", line: line)
    }
  }

  private mutating func elements(depth: Int) throws(YAMLProblem) -> [YAMLNode] {
    var elements: [YAMLNode] = []
    while true {
      let event = try events.next()
      if case .sequenceEnds = event { return elements }
      elements.append(try node(event, depth: depth))
    }
  }

  private mutating func members(depth: Int) throws(YAMLProblem) -> [YAMLMember] {
    var members: [YAMLMember] = []
    var names: Set<String> = []
    while true {
      let event = try events.next()
      if case .mappingEnds = event { return members }
      let key = try node(event, depth: depth)
      if let name = key.text, !names.insert(name).inserted {
        throw YAMLProblem(
          explanation: "expected every key once, but \(DisplayText.quoted(name)) is there twice",
          line: key.line)
      }
      members.append(YAMLMember(key: key, value: try node(try events.next(), depth: depth)))
    }
  }
}
