import ParleyProtocol

/// What a page's `application/ld+json` scripts say of it.
struct StructuredData {
  /// The nodes that may describe the page, the likeliest first.
  let nodes: [StructuredDataNode]

  /// How many nodes are looked at, in all scripts together.
  static let maximumNodes = 64
  /// How deep lists and graphs may be nested in one another.
  private static let maximumDepth = 6
  /// From how many nodes of one type on they are a list of things elsewhere, not the page.
  private static let listThreshold = 3

  static let jsonLimits = JSONLimits(byteCount: 524_288, depth: 32, nodeCount: 16_384)

  /// - Parameters:
  ///   - scripts: The scripts' texts in document order; broken ones are passed over.
  ///   - isPage: Whether an address is the page's own.
  init(scripts: [String], isPage: (String) -> Bool) {
    var found: [StructuredDataNode] = []
    for script in scripts where found.count < Self.maximumNodes {
      found += Self.nodes(in: script).prefix(Self.maximumNodes - found.count)
    }
    nodes = Self.ranked(found, isPage: isPage)
  }

  private static func nodes(in script: String) -> [StructuredDataNode] {
    let text = Array(ScriptWrapping.unwrap(Array(script.utf8)[...]))
    guard let document = try? WebJSON.document(text, limits: jsonLimits) else { return [] }
    var objects: [JSONNode] = []
    collect(document.root, into: &objects, depth: 0)
    let references = StructuredDataReferences(objects)
    return objects.compactMap { object in
      guard let (type, name) = type(of: object) else { return nil }
      return StructuredDataNode(type: type, typeName: name, json: object, references: references)
    }
  }

  /// The objects of lists and graphs, and those that a page names as its subject.
  private static func collect(_ value: JSONNode, into objects: inout [JSONNode], depth: Int) {
    guard depth < maximumDepth, objects.count < 2 * maximumNodes else { return }
    switch value.kind {
    case .array:
      for element in value.elements { collect(element, into: &objects, depth: depth + 1) }
    case .object:
      objects.append(value)
      for member in ["@graph", "mainEntity", "mainEntityOfPage"] {
        if let inner = value[member] { collect(inner, into: &objects, depth: depth + 1) }
      }
    case .null, .bool, .number, .string: break
    }
  }

  /// Of several types the one that is most telling counts.
  private static func type(of object: JSONNode) -> (SchemaType, String)? {
    guard let names = object["@type"]?.oneOrMore.prefix(8) else { return nil }
    let types = names.compactMap(\.string).compactMap { name -> (SchemaType, String)? in
      // `http://schema.org/Article` and `schema:Article` are Article.
      let short = name.split(whereSeparator: { "/#:".contains($0) }).last ?? ""
      return SchemaType(name: short).map { ($0, String(short)) }
    }
    return types.min { $0.0 < $1.0 }
  }

  private static func ranked(
    _ nodes: [StructuredDataNode], isPage: (String) -> Bool
  ) -> [StructuredDataNode] {
    let own = nodes.map { $0.addresses.contains { isPage($0.text) } }
    let counts = nodes.reduce(into: [:]) { $0[$1.typeName, default: 0] += 1 }
    let subjects = nodes.indices.filter { index in
      let node = nodes[index]
      let isListed = counts[node.typeName, default: 0] >= listThreshold && node.type == .subject
      return own[index] || !isListed
    }
    let ordered = subjects.sorted {
      // Document order decides between equals.
      (nodes[$0].type.rawValue, own[$0] ? 0 : 1, $0)
        < (nodes[$1].type.rawValue, own[$1] ? 0 : 1, $1)
    }
    return ordered.map { nodes[$0] }
  }
}
