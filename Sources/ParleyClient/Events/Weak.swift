/// Refers to an object without keeping it.
struct Weak<Object: AnyObject & Sendable>: Sendable {
  weak let value: Object?

  init(_ value: Object) {
    self.value = value
  }
}
