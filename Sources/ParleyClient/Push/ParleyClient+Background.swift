/// The state of the application, by which the server decides whether to push.
extension ParleyClient {
  /// Reports that the application has gone to the background, or has returned.
  ///
  /// In the background the session continues to receive events, and messages are pushed to the user's devices
  /// as if it did not exist. The choice holds over reconnections. Without a connection it takes effect with
  /// the next one.
  public func setBackground(_ isInBackground: Bool) async throws(ParleyError) {
    guard core.choose(isInBackground: isInBackground) else { return }
    try await core.perform(PushCalls.background(isInBackground))
  }

  /// Reports that the application has gone to the background, or has returned; see ``setBackground(_:)``.
  ///
  /// The handler is called once, on the client's callback queue; without an error the call succeeded.
  public func setBackground(
    _ isInBackground: Bool, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    guard core.choose(isInBackground: isInBackground) else {
      return core.callbacks.run { completionHandler(nil) }
    }
    core.start(PushCalls.background(isInBackground), handler: completionHandler)
  }
}

extension ClientCore {
  /// Notes the state of the application.
  ///
  /// - Returns: Whether there is a session to report it to.
  func choose(isInBackground: Bool) -> Bool {
    updateSession {
      $0.isInBackground = isInBackground
      return $0.state == .connected
    }
  }

  /// Reports on a new connection that the application is in the background; the next one does so if this one
  /// fails.
  func reportBackground() {
    guard updateSession({ $0.isInBackground }) else { return }
    Task { [self] in
      try? await performPatiently(PushCalls.background(true), waiting: \.pauseOfCalls)
      // It may have returned meanwhile, and its report may have been sent before this one.
      if !updateSession({ $0.isInBackground }) { try? await perform(PushCalls.background(false)) }
    }
  }
}
