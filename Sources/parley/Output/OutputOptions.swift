internal import ArgumentParser
internal import ParleyProtocol

/// How an answer is shown.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print the answer as JSON, for programs.")
  var json = false

  /// Prints an answer as it came, or as lines for people.
  func show(_ answer: [UInt8], as lines: (JSONNode) -> [String]) throws {
    if json {
      print(String(decoding: answer, as: UTF8.self))
      return
    }
    for line in lines(try JSONDocument(answer).root) { print(line) }
  }
}
