/// The settings of event streams, for clients that cannot open WebSockets.
package struct StreamSettings: Sendable, Equatable {
  package enum Mode: String, Sendable, CaseIterable {
    case on
    case off
  }

  package var mode = Mode.on
  /// The time for which a stream stays open without a request that carries its events.
  package var graceSeconds: Int64 = 30
}
