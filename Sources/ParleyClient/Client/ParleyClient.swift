/// A client of a Parley server: connects, reconnects and reports events.
///
/// Usable from any thread and task. Closures and delegates are called one after the other on a
/// serial queue of the client's own; they should return soon. Calls that wait are given up when
/// their task is cancelled. A client disconnects when nobody holds it any more, even if its channels
/// are still held.
public final class ParleyClient: Sendable {
  /// The configuration that the client was created with.
  public let configuration: ParleyClientConfiguration
  let core: ClientCore

  /// Makes a client that is not connected yet.
  public init(configuration: ParleyClientConfiguration) {
    self.configuration = configuration
    core = ClientCore(configuration)
  }

  deinit {
    core.shutDown()
  }

  /// The user of the session, as the server showed it last; `nil` before the first session.
  public var currentUser: User? { core.currentUser }

  /// How the client stands with its server.
  public var connectionState: ConnectionState { core.connectionState }

  /// The events from now on, for one consumer; see ``ParleyEvents``.
  public var events: ParleyEvents<ParleyEvent> { core.streams.events() }

  /// The same with the bytes that brought each event.
  package var wireEvents: ParleyEvents<WireEvent> { core.streams.wireEvents() }
}
