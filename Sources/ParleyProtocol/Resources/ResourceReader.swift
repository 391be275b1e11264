/// The members of a resource, each of which has a type.
struct ResourceReader {
  let resource: String
  let node: JSONNode

  init(_ resource: String, _ node: JSONNode) throws(ResourceError) {
    guard node.kind == .object else { throw ResourceError(resource) }
    self.resource = resource
    self.node = node
  }

  /// A text that must be there.
  func text(_ name: String) throws(ResourceError) -> String {
    guard let text = node[name]?.string else { throw wrong(name) }
    return text
  }

  /// A text that is empty when absent.
  func optionalText(_ name: String) throws(ResourceError) -> String {
    node.present(name) == nil ? "" : try text(name)
  }

  /// A whole number that must be there.
  func integer(_ name: String) throws(ResourceError) -> Int64 {
    guard let number = node[name]?.integer else { throw wrong(name) }
    return number
  }

  /// Texts by name; none when absent.
  func table(_ name: String) throws(ResourceError) -> [String: String] {
    guard let value = node.present(name) else { return [:] }
    guard let table = [String: String](json: value) else { throw wrong(name) }
    return table
  }

  /// A claim that does not hold when absent.
  func claim(_ name: String) throws(ResourceError) -> Bool {
    guard let value = node.present(name) else { return false }
    guard let claim = value.bool else { throw wrong(name) }
    return claim
  }

  /// Users in order; none when absent.
  func users(_ name: String) throws(ResourceError) -> [User] {
    guard let value = node.present(name) else { return [] }
    guard value.kind == .array else { throw wrong(name) }
    return try [User](json: value)
  }

  /// A count that must be there and is not negative.
  func count(_ name: String) throws(ResourceError) -> Int {
    guard let count = Int(exactly: try integer(name)), count >= 0 else { throw wrong(name) }
    return count
  }

  /// A value that must be there.
  func member(_ name: String) throws(ResourceError) -> JSONNode {
    guard let member = node.present(name) else { throw wrong(name) }
    return member
  }

  func wrong(_ name: String) -> ResourceError { ResourceError(resource, member: name) }
}
