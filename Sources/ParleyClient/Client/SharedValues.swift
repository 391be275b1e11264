internal import Synchronization

/// Parameter values that an application sets one after the other, from any thread.
struct SharedValues<Values: Sendable>: ~Copyable, Sendable {
  private let values: Mutex<Values>

  init(_ values: Values) {
    self.values = Mutex(values)
  }

  /// All current values.
  var current: Values { values.withLock { $0 } }

  subscript<Value: Sendable>(_ member: WritableKeyPath<Values, Value>) -> Value {
    get { current[keyPath: member] }
    nonmutating set { values.withLock { $0[keyPath: member] = newValue } }
  }
}
