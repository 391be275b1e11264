/// A look at the registry's clock.
package struct ClockSample: Sendable, Equatable {
  /// Milliseconds to add to the local Unix time; wrong by half of the round trip at most.
  package let offset: Int64
  package let roundTrip: Int64

  package init(offset: Int64, roundTrip: Int64) {
    self.offset = offset
    self.roundTrip = roundTrip
  }
}

/// The difference between the local clock and the registry's, from the last samples.
package struct ClockOffset: Sendable {
  /// As the two clocks drift apart, old samples say less than new ones.
  private static let sampleCount = 16

  private var samples: [ClockSample] = []

  package init() {}

  /// Milliseconds to add to the local Unix time: those of the sample with the shortest way.
  package var milliseconds: Int64 {
    samples.min { $0.roundTrip < $1.roundTrip }?.offset ?? 0
  }

  package mutating func add(_ sample: ClockSample) {
    if samples.count == Self.sampleCount { samples.removeFirst() }
    samples.append(sample)
  }
}
