/// Why the gateway can't start, in words for the operator.
struct StartError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
