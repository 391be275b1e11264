import ParleyProtocol

/// A value that is an object, whose members are listed once: reading and writing both go through the
/// list.
protocol StoredObject: StoredValue {
  /// Makes the object whose members are read next.
  init()

  /// Passes every member on, in the order of their names, which is that of the text.
  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure)
}

/// Whatever takes the members of an object: the text that they are read from or written to.
protocol StoredMembers: ~Copyable {
  associatedtype Failure: Error

  /// Takes a member that may be missing.
  mutating func member(_ name: StaticString, _ value: inout (some StoredValue)?) throws(Failure)

  /// Takes a member that is always written.
  mutating func required(_ name: StaticString, _ value: inout some StoredValue) throws(Failure)
}

extension StoredObject {
  init(stored node: JSONNode) throws(StoredShapeError) {
    self.init()
    var node = node
    try list(in: &node)
  }

  func write(to writer: inout JSONWriter) {
    var object = self
    writer.object { object.list(in: &$0) }
  }
}

extension JSONNode: StoredMembers {
  /// Reads a member; `nil` when it is missing or `null`.
  func member<Value: StoredValue>(
    _ name: StaticString, _ value: inout Value?
  ) throws(StoredShapeError) {
    guard let node = present(name.description) else { return value = nil }
    value = try Value(stored: node)
  }

  func required<Value: StoredValue>(
    _ name: StaticString, _ value: inout Value
  ) throws(StoredShapeError) {
    guard let node = present(name.description) else {
      throw StoredShapeError(expected: "the member \(name)")
    }
    value = try Value(stored: node)
  }
}

extension JSONWriter: StoredMembers {
  /// Writes a member, or nothing for `nil`.
  mutating func member(_ name: StaticString, _ value: inout (some StoredValue)?) {
    guard var written = value else { return }
    required(name, &written)
  }

  mutating func required(_ name: StaticString, _ value: inout some StoredValue) {
    self.name(name)
    value.write(to: &self)
  }
}
