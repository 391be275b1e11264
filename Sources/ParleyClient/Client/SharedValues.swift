internal import ClientTransport

/// Parameter values that an application sets one after the other, from any thread.
struct SharedValues<Values: Sendable>: Sendable {
  private let values: Locked<Values>

  init(_ values: Values) {
    self.values = Locked(values)
  }

  /// All current values.
  var current: Values { values.withLock { $0 } }

  subscript<Value: Sendable>(_ member: WritableKeyPath<Values, Value>) -> Value {
    get { current[keyPath: member] }
    nonmutating set { values.withLock { $0[keyPath: member] = newValue } }
  }
}
