/// Reads the members of a resource, each with its type.
struct ResourceReader {
  let resource: String
  let node: JSONNode

  init(_ resource: String, _ node: JSONNode) throws(ResourceError) {
    guard node.kind == .object else { throw ResourceError(resource) }
    self.resource = resource
    self.node = node
  }

  /// A required text.
  func text(_ name: String) throws(ResourceError) -> String {
    guard let text = node[name]?.string else { throw wrong(name) }
    return text
  }

  /// A text that is empty when absent.
  func optionalText(_ name: String) throws(ResourceError) -> String {
    node.present(name) == nil ? "" : try text(name)
  }

  /// A required whole number.
  func integer(_ name: String) throws(ResourceError) -> Int64 {
    guard let number = node[name]?.integer else { throw wrong(name) }
    return number
  }

  /// A table of texts by name; empty when absent.
  func table(_ name: String) throws(ResourceError) -> [String: String] {
    guard let value = node.present(name) else { return [:] }
    guard let table = [String: String](json: value) else { throw wrong(name) }
    return table
  }

  /// A boolean, which is false when absent.
  func claim(_ name: String) throws(ResourceError) -> Bool {
    guard let value = node.present(name) else { return false }
    guard let claim = value.bool else { throw wrong(name) }
    return claim
  }

  /// Users in order; empty when absent.
  func users(_ name: String) throws(ResourceError) -> [User] {
    guard let value = node.present(name) else { return [] }
    guard value.kind == .array else { throw wrong(name) }
    return try [User](json: value)
  }

  /// A required number that is not negative.
  func count(_ name: String) throws(ResourceError) -> Int {
    guard let count = Int(exactly: try integer(name)), count >= 0 else { throw wrong(name) }
    return count
  }

  /// Required texts, in order.
  func texts(_ name: String) throws(ResourceError) -> [String] {
    guard let value = node[name], value.kind == .array else { throw wrong(name) }
    var texts: [String] = []
    for element in value.elements {
      guard let text = element.string else { throw wrong(name) }
      texts.append(text)
    }
    return texts
  }

  /// A required value.
  func member(_ name: String) throws(ResourceError) -> JSONNode {
    guard let member = node.present(name) else { throw wrong(name) }
    return member
  }

  func wrong(_ name: String) -> ResourceError { ResourceError(resource, member: name) }
}

/// The reason why a JSON value is not the expected resource.
package struct ResourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The resource that was expected, such as `user`.
  package var resource: String
  /// The member that is missing or has the wrong type; `nil` when the value is not an object.
  package var member: String?

  package init(_ resource: String, member: String? = nil) {
    self.resource = resource
    self.member = member
  }

  /// The error as text.
  package var description: String {
    guard let member else { return "not a \(resource)" }
    return "'\(member)' of a \(resource) is missing or of another type"
  }
}

extension [String: String] {
  /// Parses an object of texts, such as a user's metadata; `nil` for anything else.
  package init?(json: JSONNode) {
    guard json.kind == .object else { return nil }
    self.init()
    for (name, value) in json.members {
      guard let text = value.string else { return nil }
      self[name] = text
    }
  }

  /// Writes an object of texts, sorted by name, so that equal values have equal bytes.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      for (name, text) in sorted(by: { $0.key < $1.key }) {
        $0.name(escaping: name)
        $0.value(text)
      }
    }
  }
}
