import ParleyProtocol

/// The nodes of one script by their `@id`; others may name one instead of repeating it.
struct StructuredDataReferences {
  private let nodes: [String: JSONNode]

  init(_ nodes: [JSONNode]) {
    var byIdentifier: [String: JSONNode] = [:]
    for node in nodes {
      if let identifier = node["@id"]?.string { byIdentifier[identifier] = node }
    }
    self.nodes = byIdentifier
  }

  /// The node that a bare reference names, else the value itself.
  func resolve(_ value: JSONNode) -> JSONNode {
    guard let identifier = value["@id"]?.string, value["url"] == nil else { return value }
    return nodes[identifier] ?? value
  }
}
