/// A reading of the registry's clock.
package struct ClockSample: Sendable, Equatable {
  /// Milliseconds to add to the local steady clock to get the registry's Unix time; the error is at
  /// most half of the round trip.
  package let offset: Int64
  package let roundTrip: Int64

  package init(offset: Int64, roundTrip: Int64) {
    self.offset = offset
    self.roundTrip = roundTrip
  }

  /// A sample where `start` and `end` are readings of the local steady clock, and `time` is a
  /// reading of the registry's clock between them; all in milliseconds.
  package init(of time: Int64, between start: Int64, and end: Int64) {
    self.init(offset: time - start - (end - start) / 2, roundTrip: end - start)
  }

  /// Milliseconds by which a sample may be wrong in addition to half of its round trip: its
  /// readings are whole milliseconds, and the clocks drift apart between two samples.
  private static let tolerance: Int64 = 5

  /// Whether neither clock was stepped between two samples.
  fileprivate func agrees(with other: ClockSample) -> Bool {
    abs(offset - other.offset) <= (roundTrip + other.roundTrip) / 2 + Self.tolerance
  }
}

/// The difference between the local steady clock and the registry's clock, from the last samples.
///
/// The system's own Unix time is not used: a step of it says nothing about the cluster's time.
package struct ClockOffset: Sendable {
  /// Milliseconds from which a change counts as a step of the registry's clock.
  ///
  /// Smaller changes also result from samples with a long round trip.
  private static let smallestStep: Int64 = 1_000
  /// Old samples are less accurate than new ones, since the two clocks drift apart.
  private static let sampleCount = 16

  private var samples: [ClockSample] = []
  private var changedAt: Int64 = 0

  /// Milliseconds to add to the local steady clock; `nil` before the first sample.
  ///
  /// Increases take effect at once. A small decrease is spread: the offset falls by at most half of
  /// the time that passes, so the time of a server that was ahead continues at half its pace. A
  /// step back takes effect at once, since tokens are checked against this time.
  package private(set) var milliseconds: Int64?

  package init() {}

  /// - Parameter now: Milliseconds of the local steady clock.
  package mutating func add(_ sample: ClockSample, at now: Int64) {
    if let best, !best.agrees(with: sample) { samples = [] }
    if samples.count == Self.sampleCount { samples.removeFirst() }
    samples.append(sample)
    let offset = (best ?? sample).offset
    let isNear = milliseconds.map { $0 - offset < Self.smallestStep } ?? false
    let lowest = milliseconds.map { $0 - max(0, now - changedAt) / 2 } ?? offset
    milliseconds = isNear ? max(offset, lowest) : offset
    changedAt = now
  }

  /// The sample with the shortest round trip, the newest if there are several.
  private var best: ClockSample? { samples.reversed().min { $0.roundTrip < $1.roundTrip } }
}
