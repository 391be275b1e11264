/// Why a JSON value is not the resource that it was taken for.
package struct ResourceError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The resource that was expected, such as `user`.
  package var resource: String
  /// The member that is missing or of another type; `nil` when the value is no object.
  package var member: String?

  package init(_ resource: String, member: String? = nil) {
    self.resource = resource
    self.member = member
  }

  /// The fault in words.
  package var description: String {
    guard let member else { return "not a \(resource)" }
    return "'\(member)' of a \(resource) is missing or of another type"
  }
}
