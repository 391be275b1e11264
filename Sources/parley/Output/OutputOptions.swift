internal import ArgumentParser
internal import Bytes
internal import ParleyProtocol

/// How an answer is shown.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print the answer as JSON, for programs.")
  var json = false

  /// Prints an answer as it came, or as lines for people.
  func show(_ answer: [UInt8], as lines: (JSONNode) -> [String]) throws {
    if json { return print(Self.shown(answer)) }
    for line in lines(try Self.root(of: answer)) { print(line) }
  }

  /// Prints an answer as it came, or one line for people.
  func show(_ answer: [UInt8], as line: String) throws {
    try show(answer) { _ in [DisplayText.shortened(line)] }
  }

  /// Prints what comes in pieces: as one array of JSON, or as lines for people.
  ///
  /// - Parameter forEach: Hands over the pieces; an array that has begun is ended even if it fails.
  func stream(
    _ lines: @escaping ([JSONNode]) -> [String], whenEmpty: String,
    _ forEach: (([JSONNode]) throws -> Void) throws -> Void
  ) throws {
    guard json else {
      var isEmpty = true
      try forEach { elements in
        isEmpty = isEmpty && elements.isEmpty
        for line in lines(elements) { print(line) }
        try StandardOutput.flush()
      }
      if isEmpty { print(whenEmpty) }
      return
    }
    var array = JSONArrayStream()
    defer { array.finish() }
    try forEach { try array.append($0) }
  }

  /// JSON as it came, unless a terminal might obey something in it.
  static func shown(_ json: some Sequence<UInt8>) -> String {
    let text = String(decoding: Array(json), as: UTF8.self)
    return Terminal.isOutput ? harmless(text) : text
  }

  /// An answer's value.
  static func root(of answer: [UInt8]) throws -> JSONNode {
    do {
      return try JSONDocument(answer).root
    } catch {
      throw CommandFailure.unreachable("the answer can't be read: is it a Parley gateway?")
    }
  }

  /// The same JSON with everything escaped that a terminal might obey; outside of strings there is
  /// nothing of that kind but white space.
  static func harmless(_ json: String) -> String {
    var text = String.UnicodeScalarView()
    for scalar in json.unicodeScalars {
      guard scalar.actsOnItsSurroundings, !["\n", "\r", "\t"].contains(scalar) else {
        text.append(scalar)
        continue
      }
      let digits = String(scalar.value, radix: 16)
      let zeros = String(repeating: "0", count: max(0, 4 - digits.count))
      text.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
    }
    return String(text)
  }
}
