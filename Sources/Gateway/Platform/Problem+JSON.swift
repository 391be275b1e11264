import ParleyProtocol

extension JSONWriter {
  /// Writes the member `problems`: the kind of each, a sentence about it, and what to do.
  mutating func problems(_ problems: [Problem]) {
    member(
      "problems",
      array: { writer in
        for problem in problems {
          writer.object {
            $0.member("kind", problem.kind.rawValue)
            $0.member("message", problem.message)
            $0.member("what_to_do", problem.remedy)
          }
        }
      })
  }
}
