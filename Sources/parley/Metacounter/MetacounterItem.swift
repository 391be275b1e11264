internal import ArgumentParser

/// A counter's name with a number, as the command line has them: `likes=5`.
struct MetacounterItem: ExpressibleByArgument, Equatable {
  let key: String
  let number: Int64

  init?(argument: String) {
    // Behind the last mark, since a name may have one and a number has none.
    guard let mark = argument.lastIndex(of: "="), mark != argument.startIndex,
      let number = Int64(argument[argument.index(after: mark)...])
    else { return nil }
    key = String(argument[..<mark])
    self.number = number
  }
}
