package import ParleyProtocol
package import Push

/// The state of the deliveries of pushes, for operators.
package struct PushReport: Sendable, Hashable {
  /// The state of one way.
  package struct Way: Sendable, Hashable {
    package var way: PushWay
    /// Unix milliseconds; `nil` when there was no success since the start.
    package var lastSuccess: Int64?
    /// Unix milliseconds; `nil` when there was no failure since the start.
    package var lastFailure: Int64?
    /// The reason of the last failure; empty when there was none.
    package var reason = ""

    /// Whether the last request failed.
    package var isFailing: Bool { (lastFailure ?? .min) > (lastSuccess ?? .min) }
  }

  /// The ways that are turned on.
  package var ways: [Way]
  /// The number of jobs that wait in the store; with several servers, of this server's lanes.
  package var backlog: Int
  /// The time of the oldest message with such a job, in Unix milliseconds.
  package var oldest: Int64?
  /// The number of pushes that wait in memory.
  package var waitingCount: Int
  package var inFlightCount: Int
  /// The hosts to which nothing is sent because they failed many times in a row, without the paths of
  /// endpoints.
  package var pausedHosts: [String]
}

/// The answer to a test push to one device.
package struct PushTestResult: Sendable, Hashable {
  package var type: PushTokenType
  /// The last 8 characters of the token, or of the endpoint.
  package var token: String
  /// `nil` when the device's type has no way.
  package var result: PushResult?
  /// The reason why the push was not sent; empty when it was.
  package var problem: String
}

/// The reason why a message is or is not pushed to a user.
package struct PushExplanation: Sendable, Hashable {
  /// A device of the user.
  package struct Device: Sendable, Hashable {
    package var type: PushTokenType
    /// The last 8 characters of the token, or of the endpoint.
    package var token: String
    /// `nil` when the device's type has no way.
    package var way: PushWay?
    /// Unix milliseconds; 0 when no push was accepted.
    package var lastSuccessAt: Int64
  }

  /// `nil` when the message is pushed.
  package var refusal: PushRefusal?
  package var devices: [Device]
}

extension PushToken {
  /// The end of the token, which identifies it for its owner and is of no use to others.
  var suffix: String { String(address.name.suffix(8)) }
}
