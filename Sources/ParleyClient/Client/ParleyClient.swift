package import ClientTransport

/// A client of a Parley server: connects, reconnects and reports events.
///
/// Usable from any thread and task. Closures and delegates are called one at a time on a serial
/// queue of the client; they should return quickly. Waiting calls are cancelled with their task. A
/// client disconnects when its last reference is released, even if its channels are still
/// referenced.
public final class ParleyClient: Sendable {
  /// The configuration that the client was created with.
  public let configuration: ParleyClientConfiguration
  let core: ClientCore

  /// Creates a client that is not connected.
  public init(configuration: ParleyClientConfiguration) {
    self.configuration = configuration
    core = ClientCore(configuration)
  }

  /// Creates a client on another lane than the platform's.
  package init(configuration: ParleyClientConfiguration, on lane: any Lane) {
    self.configuration = configuration
    core = ClientCore(configuration, on: lane)
  }

  deinit {
    core.shutDown()
  }

  /// The user of the session, as the server last sent it; `nil` before the first session.
  public var currentUser: User? { core.currentUser }

  /// The features of the server at the start of the latest session; `nil` before the first session.
  ///
  /// Available when `connect` has succeeded. A missing feature is off, and the server rejects its calls:
  ///
  ///     attachButton.isHidden = client.features?.files == nil
  public var features: ServerFeatures? { core.features }

  /// The state of the client's connection.
  public var connectionState: ConnectionState { core.connectionState }

  /// The events of the client from now on, for one consumer; see ``ParleyEvents``.
  public var events: ParleyEvents<ParleyEvent> { core.streams.events() }

  /// The same events with the bytes that carried them.
  package var wireEvents: ParleyEvents<WireEvent> { core.streams.wireEvents() }
}

extension ParleyClient {
  /// Creates a channel; the current user becomes an operator.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400202 when the URL is taken.
  public func createOpenChannel(
    params: OpenChannelCreateParams
  ) async throws(ParleyError) -> OpenChannel {
    try await core.perform(params.values) { ChannelCalls.create($0).map(core.channel) }
  }

  /// Fetches a channel.
  ///
  /// - Throws: ``ParleyError/notFound(_:)``.
  public func openChannel(url: String) async throws(ParleyError) -> OpenChannel {
    try await core.perform(ChannelCalls.get(url).map(core.channel))
  }

  /// Returns a query for channels, page by page, newest first.
  public func createOpenChannelListQuery(
    params: OpenChannelListQueryParams = OpenChannelListQueryParams()
  ) -> OpenChannelListQuery {
    OpenChannelListQuery(params.values, core)
  }

  /// Returns a query for channels, page by page, newest first.
  ///
  ///     let query = client.createOpenChannelListQuery { params in
  ///       params.customTypeFilter = ["support"]
  ///     }
  public func createOpenChannelListQuery(
    _ configure: (OpenChannelListQueryParams) -> Void
  ) -> OpenChannelListQuery {
    let params = OpenChannelListQueryParams()
    configure(params)
    return createOpenChannelListQuery(params: params)
  }
}

extension ParleyClient {
  /// Creates a group with the current user as a member.
  ///
  /// For distinct members, the existing group is returned if there is one.
  ///
  /// - Throws: ``ParleyError/notFound(_:)`` for an unknown user; ``ParleyError/refused(code:message:field:)``
  ///   with 400202 when the URL is taken.
  public func createGroupChannel(
    params: GroupChannelCreateParams
  ) async throws(ParleyError) -> GroupChannel {
    try await core.perform(params.values) { core.groupCalls.create($0).map(core.group) }
  }

  /// Fetches a group.
  ///
  /// - Throws: ``ParleyError/notFound(_:)``, also for a private group of which the user is not a member.
  public func groupChannel(url: String) async throws(ParleyError) -> GroupChannel {
    try await core.perform(core.groupCalls.get(url).map(core.group))
  }
}

extension ParleyClient {
  /// Adds a delegate for events of open channels.
  ///
  /// It replaces a delegate with the same identifier, and is held weakly.
  public func addOpenChannelDelegate(
    _ delegate: any OpenChannelDelegate, identifier: String
  ) {
    core.delegates.add(delegate, identifier: identifier)
  }

  /// Removes the delegate for events of open channels with this identifier.
  public func removeOpenChannelDelegate(identifier: String) {
    core.delegates.removeChannelDelegate(identifier: identifier)
  }

  /// Adds a delegate for events of groups.
  ///
  /// It replaces a delegate with the same identifier, and is held weakly.
  public func addGroupChannelDelegate(
    _ delegate: any GroupChannelDelegate, identifier: String
  ) {
    core.delegates.add(delegate, identifier: identifier)
  }

  /// Removes the delegate for events of groups with this identifier.
  public func removeGroupChannelDelegate(identifier: String) {
    core.delegates.removeGroupDelegate(identifier: identifier)
  }

  /// Adds a delegate for changes of the connection.
  ///
  /// It replaces a delegate with the same identifier, and is held weakly.
  public func addConnectionDelegate(_ delegate: any ConnectionDelegate, identifier: String) {
    core.delegates.add(delegate, identifier: identifier)
  }

  /// Removes the delegate for changes of the connection with this identifier.
  public func removeConnectionDelegate(identifier: String) {
    core.delegates.removeConnectionDelegate(identifier: identifier)
  }
}
