package import ParleyProtocol

extension ServiceError {
  /// The channel has its home on another server: nothing was changed, and the call has to be sent
  /// there.
  ///
  /// Never shown to a client: the server of the session repeats the call.
  package static let moved = ServiceError(
    ErrorCode(rawValue: 0), "the channel is at home on another server")
}
