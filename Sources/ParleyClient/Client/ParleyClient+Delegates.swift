extension ParleyClient {
  /// Tells a delegate what happens in channels, from now on; it replaces the one of that identifier.
  ///
  /// The delegate is held weakly.
  public func addOpenChannelDelegate(
    _ delegate: any OpenChannelDelegate, identifier: String
  ) {
    core.delegates.add(delegate, identifier: identifier)
  }

  /// Tells the delegate of that identifier nothing more.
  public func removeOpenChannelDelegate(identifier: String) {
    core.delegates.removeChannelDelegate(identifier: identifier)
  }

  /// Tells a delegate what happens to the connection, from now on; it replaces the one of that
  /// identifier.
  ///
  /// The delegate is held weakly.
  public func addConnectionDelegate(_ delegate: any ConnectionDelegate, identifier: String) {
    core.delegates.add(delegate, identifier: identifier)
  }

  /// Tells the delegate of that identifier nothing more.
  public func removeConnectionDelegate(identifier: String) {
    core.delegates.removeConnectionDelegate(identifier: identifier)
  }
}
