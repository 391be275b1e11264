internal import ArgumentParser
internal import Basics
internal import ParleyProtocol

/// Options for printing an answer.
struct OutputOptions: ParsableArguments {
  @Flag(help: "Print the answer as JSON.")
  var json = false

  /// Prints an answer as JSON or as text.
  func show(_ answer: [UInt8], as lines: (JSONNode) -> [String]) throws {
    if json { return print(Self.shown(answer)) }
    for line in lines(try Self.root(of: answer)) { print(line) }
  }

  /// Prints an answer as JSON or as one line of text.
  func show(_ answer: [UInt8], as line: String) throws {
    try show(answer) { _ in [DisplayText.shortened(line)] }
  }

  /// Prints a sequence of elements as one JSON array or as text.
  ///
  /// - Parameter forEach: Passes the elements in parts; the array is closed even if this throws.
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

  /// Returns JSON as text; control characters are escaped for a terminal.
  static func shown(_ json: some Sequence<UInt8>) -> String {
    let text = String(decoding: Array(json), as: UTF8.self)
    return Terminal.isOutput ? DisplayText.harmless(json: text) : text
  }

  /// Parses an answer.
  static func root(of answer: [UInt8]) throws -> JSONNode {
    do {
      return try JSONDocument(answer).root
    } catch {
      throw CommandFailure.unreachable("the answer is not valid JSON; is it a Parley gateway?")
    }
  }
}

/// Writes one JSON array to standard output, element by element, each on a line of its own.
struct JSONArrayStream {
  private enum State {
    case notBegun
    case empty
    case filled
  }

  private var state = State.notBegun

  /// Writes elements; the first call starts the array.
  mutating func append(_ elements: [JSONNode]) throws {
    if state == .notBegun {
      print("[", terminator: "")
      state = .empty
    }
    for element in elements {
      print(state == .filled ? "," : "")
      state = .filled
      print(OutputOptions.shown(element.raw), terminator: "")
    }
    try StandardOutput.flush()
  }

  /// Closes the array if it was started, so that the output is valid JSON.
  func finish() {
    switch state {
    case .notBegun: break
    case .empty: print("]")
    case .filled: print("\n]")
    }
  }
}
