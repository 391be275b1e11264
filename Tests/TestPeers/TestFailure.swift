/// Why a helper of the tests could not do what it was asked to.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  /// Makes a failure from a sentence.
  package init(_ description: String) {
    self.description = description
  }
}
