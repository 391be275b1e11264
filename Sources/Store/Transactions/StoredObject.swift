import ParleyProtocol

/// A value that is an object, with a single list of its members that is used for both reading and
/// writing.
protocol StoredObject: StoredValue {
  /// Creates an object whose members are then read.
  init()

  /// Passes on every member in the order of their names, which is the order in the text.
  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure)
}

/// The receiver of an object's members: the text that they are read from or written to.
protocol StoredMembers: ~Copyable {
  associatedtype Failure: Error

  /// Passes a member that may be missing.
  mutating func member(_ name: StaticString, _ value: inout (some StoredValue)?) throws(Failure)

  /// Passes a member that is always written.
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
