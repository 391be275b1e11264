/// Checks that a decoder's events do not depend on how its input is cut.
///
/// Runs each case whole, byte by byte, and cut in two at every place.
package struct DecoderVerifier<Event: Equatable & Sendable> {
  /// Takes one piece of input and returns the events that it led to.
  package typealias Decoder = (_ piece: [UInt8]) -> [Event]

  /// An input and all its events.
  package struct Case: Sendable {
    /// The bytes of the stream.
    package let input: [UInt8]
    /// The events of the whole stream, in order.
    package let events: [Event]

    /// Makes a case.
    package init(_ input: [UInt8], _ events: [Event]) {
      self.input = input
      self.events = events
    }
  }

  private let makeDecoder: () -> Decoder

  /// Makes a verifier of the decoders that `makeDecoder` makes, each at the beginning of a stream.
  package init(_ makeDecoder: @escaping () -> Decoder) {
    self.makeDecoder = makeDecoder
  }

  /// Runs each case by itself.
  ///
  /// - Returns: A sentence for each way of cutting that gave other events; at best, none.
  package func failures(_ cases: [Case]) -> [String] {
    cases.flatMap { test in
      Self.cuts(test.input).compactMap { failure(test, $0.name, $0.pieces) }
    }
  }

  /// Runs all cases as one stream; none but the last may end it.
  ///
  /// - Returns: As ``failures(_:)`` does.
  package func failuresJoined(_ cases: [Case]) -> [String] {
    failures([Case(cases.flatMap(\.input), cases.flatMap(\.events))])
  }

  private func failure(_ test: Case, _ name: String, _ pieces: [[UInt8]]) -> String? {
    let decode = makeDecoder()
    let events = pieces.flatMap(decode)
    guard events != test.events else { return nil }
    return "\(name): \(events) instead of \(test.events)"
  }

  private static func cuts(_ input: [UInt8]) -> [(name: String, pieces: [[UInt8]])] {
    var cuts = [("whole", [input]), ("byte by byte", input.map { [$0] })]
    for place in 0...input.count {
      cuts.append(("cut at \(place)", [Array(input[..<place]), Array(input[place...])]))
    }
    return cuts
  }
}
