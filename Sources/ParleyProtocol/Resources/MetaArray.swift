/// One key of a message's extra data, with its values in order and each only once.
package struct MetaArray: Sendable, Hashable {
  /// At most 128 characters.
  package var key: String
  /// A set that keeps its order; at most 100 values of at most 190 characters.
  package var values: [String]

  package init(key: String, values: [String] = []) {
    self.key = key
    self.values = values
  }
}
