import ParleyProtocol

/// One node of a page's structured data (JSON-LD 1.1, schema.org) that may describe the page.
struct StructuredDataNode {
  let type: SchemaType
  let typeName: String
  let json: JSONNode
  /// The nodes of the same script that others refer to.
  let references: StructuredDataReferences

  /// A title and the name of the member that gave it.
  var title: (text: String, member: String)? {
    let members = type == .subject ? ["headline", "name"] : ["name", "headline"]
    for member in members {
      if let text = json[member]?.linkedText { return (text, member) }
    }
    return nil
  }

  var description: String? { json["description"]?.linkedText }

  /// The addresses by which the node names the page that it describes.
  var addresses: [(text: String, member: String)] {
    let page = json["mainEntityOfPage"]
    // An identifier with a fragment names a node, not a page.
    let identifier = page?["@id"]?.string.flatMap { $0.contains("#") ? nil : $0 }
    return [
      (json["url"]?.linkedText, "url"),
      (page?.linkedText ?? page?["url"]?.linkedText ?? identifier, "mainEntityOfPage"),
    ].compactMap { text, member in text.map { ($0, member) } }
  }

  /// The pictures in order.
  var images: [StructuredDataImage] {
    pictures(in: "image") + pictures(in: "thumbnailUrl") + pictures(in: "thumbnail")
  }

  private func pictures(in member: String) -> [StructuredDataImage] {
    guard let value = json[member] else { return [] }
    return value.oneOrMore.prefix(StructuredDataImage.maximumCount).compactMap {
      StructuredDataImage(references.resolve($0), member: member)
    }
  }
}

extension JSONNode {
  /// The values of a list, or the value itself.
  var oneOrMore: [JSONNode] {
    kind == .array ? Array(elements.prefix(64)) : [self]
  }

  /// A text that is not blank, the first one of a list, or the `@value` of a text with a language.
  var linkedText: String? {
    for value in oneOrMore {
      let text = value.string ?? value["@value"]?.string
      if let text, !text.allSatisfy(\.isWhitespace) { return text }
    }
    return nil
  }
}
