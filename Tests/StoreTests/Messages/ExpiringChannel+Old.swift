import Store

extension ExpiringChannel {
  /// A channel whose messages before a time are removed.
  ///
  /// - Parameter horizon: Unix milliseconds.
  static func old(_ id: Int64, before horizon: Int64) -> ExpiringChannel {
    ExpiringChannel(id, lifetime: nil, horizon: horizon)
  }
}
