internal import ParleyProtocol

/// One array of JSON on standard output, written as its elements come, each on a line of its own.
struct JSONArrayStream {
  private enum State {
    case notBegun
    case empty
    case filled
  }

  private var state = State.notBegun

  /// Writes more elements; even without any the array has begun.
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

  /// Ends an array that has begun: what was written is valid, even if more was to come.
  func finish() {
    switch state {
    case .notBegun: break
    case .empty: print("]")
    case .filled: print("\n]")
    }
  }
}
