/// The named parameters of a request, read with the contract's checks.
///
/// A `null` counts as absent. Every refusal names the parameter. Serves `params` on the socket and
/// the bodies of the Platform API alike.
package struct Parameters: Sendable {
  private let object: JSONNode?

  /// Reads from an object, or from nothing at all.
  ///
  /// - Throws: ``ErrorCode/invalidParams`` when there is something and it is not an object.
  package init(_ node: JSONNode?) throws(ServiceError) {
    guard node == nil || node?.kind == .object else { throw .paramsNotObject }
    object = node
  }

  /// The value of that name, or `nil` when it is absent or `null`.
  package func value(_ name: String) -> JSONNode? {
    object?.present(name)
  }

  /// The value of that name, which must be there.
  package func required(_ name: String) throws(ServiceError) -> JSONNode {
    guard let node = value(name) else { throw .missing(name) }
    return node
  }

  /// A boolean, if given.
  package func boolean(_ name: String) throws(ServiceError) -> Bool? {
    guard let node = value(name) else { return nil }
    guard let claim = node.bool else { throw .notBoolean(name) }
    return claim
  }

  /// An object's members as parameters of their own, if given.
  package func nested(_ name: String) throws(ServiceError) -> Parameters? {
    guard let node = value(name) else { return nil }
    guard node.kind == .object else { throw .notObject(name) }
    return try Parameters(node)
  }

  /// One of the names of a set of choices, if given.
  package func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of: Choice.Type
  ) throws(ServiceError) -> Choice? where Choice.RawValue == String {
    guard let node = value(name) else { return nil }
    guard let text = node.string else { throw .notString(name) }
    guard let choice = Choice(rawValue: text) else {
      let expected = Choice.allCases.map(\.rawValue).joined(separator: " or ")
      throw .invalid(name, text, expected: expected)
    }
    return choice
  }
}
