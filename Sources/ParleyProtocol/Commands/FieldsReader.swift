/// Parses the parameters of one method.
///
/// A value of its own, because a dictionary of functions with typed errors needs support of the
/// runtime that not all platforms of the client library have.
package struct FieldsReader<Value>: Sendable {
  private let read: @Sendable (Fields) throws(ServiceError) -> Value

  init(_ read: @escaping @Sendable (Fields) throws(ServiceError) -> Value) {
    self.read = read
  }

  package func callAsFunction(_ fields: Fields) throws(ServiceError) -> Value {
    try read(fields)
  }
}
