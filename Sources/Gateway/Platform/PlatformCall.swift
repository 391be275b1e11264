import Channels
import Configuration
import Crypto
import HTTP
import Logging
import ParleyProtocol
import Store
import Transport

/// Executes an admitted call, and answers it through the completion unless it throws.
typealias PlatformEndpoint =
  @Sendable (PlatformCall, Completion) throws(ServiceError) -> Void

/// A call of the Platform API: the values in its path, its query and its body.
struct PlatformCall {
  let shard: Shard
  /// The request that waits for the answer, on the shard of its connection.
  let address: ExchangeAddress
  /// The kind of channels that the path is about; `nil` for both, and for a path about something else.
  let kind: ChannelKind?
  /// The values in the path.
  let arguments: PathArguments
  /// The values in the query.
  let query: Fields
  /// The digest of the API token.
  let token: TokenDigest
  /// The base of addresses that the request names; `nil` on the shard of a channel.
  let namedBase: String?
  private let parsedBody: Result<Fields, ServiceError>

  /// - Parameter shard: The shard that runs the endpoint.
  init(
    shard: Shard, address: ExchangeAddress, caller token: TokenDigest, about kind: ChannelKind?,
    arguments: PathArguments, query: QueryParameters, body: [UInt8], namedBase: String? = nil
  ) {
    self.namedBase = namedBase
    self.shard = shard
    self.kind = kind
    self.address = address
    self.token = token
    self.arguments = arguments
    let limits = shard.settings.limits.customData
    self.query = Fields(query: query.values, limits: limits)
    do throws(ServiceError) {
      parsedBody = .success(try Fields(body: body, limits: limits))
    } catch {
      parsedBody = .failure(error)
    }
  }

  var services: GatewayServices { shard.services }
  var completion: Completion { Completion(address, services.shards) }
  var customDataLimits: CustomDataLimits { shard.settings.limits.customData }

  /// Checks that the role of the caller's token allows more than the route's role.
  ///
  /// Only on the server that admitted the call.
  /// - Throws: 400108; 400401 if the token was revoked since then.
  func check(for role: APITokenRole) throws(ServiceError) {
    guard let holder = services.apiTokens.holder(of: token) else {
      throw ServiceError(.invalidAPIToken, "the API token was revoked")
    }
    try holder.check(for: role)
  }

  /// The caller, for calls that are charged by cost.
  var caller: QueryCaller { .platform(token) }

  /// The caller in log lines: its token, and its address if its connection is on this shard.
  var callerMetadata: Logger.Metadata {
    var metadata: Logger.Metadata = ["api_token": "\(services.apiTokens.name(of: token))"]
    metadata.name(address.trace)
    if address.shard == shard.handle.address,
      let connection = shard.transport.connection(Exchange.ID(address).connection)
    {
      metadata["client"] = "\(connection.clientText)"
    }
    return metadata
  }

  /// The values in the body.
  ///
  /// - Throws: 400403 unless the body is a JSON object.
  var body: Fields {
    get throws(ServiceError) { try parsedBody.get() }
  }

  /// The channel URL in the path.
  ///
  /// A URL that no channel can have is reported as not found.
  var channelURL: String {
    get throws(ServiceError) {
      let url = arguments["channel_url"]
      do throws(ServiceError) { try ChannelURL.check(url) } catch {
        throw .notFound(.channel, url)
      }
      return url
    }
  }

  /// The user id in the path.
  ///
  /// An id that no user can have is reported as not found.
  var userID: String {
    get throws(ServiceError) {
      let id = arguments["user_id"]
      guard UserID.mayExist(id) else { throw .notFound(.user, id) }
      return id
    }
  }

  /// The message id in the path.
  ///
  /// An id that no message can have is reported as not found.
  var messageID: Int64 {
    get throws(ServiceError) {
      let text = arguments["message_id"]
      guard let id = Int64(text), Limits.messageIDs.contains(id) else {
        throw .notFound(.message, text)
      }
      return id
    }
  }

  /// Runs `body` with the channel in the path, which has its home on this shard; a channel of another
  /// kind than the path's is not found.
  func inChannel(
    _ completion: Completion, _ body: @escaping @Sendable (ChannelHost) -> Void
  ) throws(ServiceError) {
    let kind = kind
    shard.channels.withChannel(try channelURL) { result in
      switch result {
      case .success(let channel) where channel.kind == kind ?? channel.kind: body(channel)
      case .success(let channel): completion.fail(.notFound(.channel, channel.url))
      case .failure(let error): completion.fail(error)
      }
    }
  }

  /// Sends a command to the channel in the path, and encodes the answer of the judge as the response.
  func perform(
    _ command: ChannelCommand, _ completion: Completion,
    _ encode: @escaping @Sendable (JudgeAnswer, inout JSONWriter) -> Void
  ) throws(ServiceError) {
    try inChannel(completion) { channel in
      channel.perform(command, of: completion.address.trace) { _, result in
        completion(result, encode)
      }
    }
  }

  /// Sends a command without a result to the channel in the path.
  func perform(_ command: ChannelCommand, _ completion: Completion) throws(ServiceError) {
    try perform(command, completion) { $1.object { _ in } }
  }

  /// Reads from the store, and encodes the result as the answer.
  func perform<Lookup: StoreLookup>(
    _ lookup: Lookup, _ completion: Completion,
    _ encode: @escaping @Sendable (Lookup.Outcome, inout JSONWriter) -> Void
  ) {
    services.store.perform(lookup) { completion($0.serviceResult, encode) }
  }

  /// Lists or searches in the store in the caller's turn, and answers with the encoded outcome.
  ///
  /// The time is charged to the caller.
  func perform<Query: StoreQuery>(
    _ query: Query, _ completion: Completion,
    _ encode: @escaping @Sendable (Query.Outcome) -> [UInt8]
  ) {
    let (caller, services) = (caller, services)
    services.store.perform(query, for: caller.principal) { result, cost in
      caller.pay(cost, to: services)
      completion(result.serviceResult.map(encode))
    }
  }

  /// Changes the store, and encodes the result as the answer.
  func perform<Write: StoreWrite>(
    _ write: Write, _ completion: Completion,
    _ encode: @escaping @Sendable (Write.Outcome, inout JSONWriter) -> Void
  ) {
    services.store.perform(write) { completion($0.serviceResult, encode) }
  }
}

/// The completion of one call.
///
/// Takes one answer, on any thread.
struct Completion: Sendable {
  let address: ExchangeAddress
  private let shards: ShardSet

  init(_ address: ExchangeAddress, _ shards: ShardSet) {
    self.address = address
    self.shards = shards
  }

  /// Answers with a JSON body, or with a refusal.
  func callAsFunction(_ result: Result<[UInt8], ServiceError>) {
    shards.send(.exchange(address, result))
  }

  /// Answers with an encoded value, or with a refusal.
  func callAsFunction<Value>(
    _ result: Result<Value, ServiceError>, _ encode: (Value, inout JSONWriter) -> Void
  ) {
    self(result.map { value in JSONWriter.bytes { encode(value, &$0) } })
  }

  /// Answers with the JSON that a closure writes.
  func callAsFunction(_ encode: (inout JSONWriter) -> Void) {
    self(.success(JSONWriter.bytes(encode)))
  }

  /// Answers `{}` to a call without a result, or refuses the call.
  func empty<Value>(_ result: Result<Value, ServiceError>) {
    self(result) { $1.object { _ in } }
  }

  func fail(_ error: ServiceError) { self(.failure(error)) }
}

extension HTTPResponse {
  /// The answer to a call: a JSON body or a refusal.
  init(_ outcome: CallOutcome) {
    switch outcome {
    case .success(let body):
      self.init(status: .ok, fields: ["Content-Type": "application/json"], body: body)
    case .failure(let error): self.init(refusing: error)
    }
  }
}

extension ExchangeAddress {
  /// The address of a request on a shard of this server.
  init(_ exchange: Exchange.ID, on shard: ShardHandle, in trace: CallTrace? = nil) {
    self.init(
      shard: shard.address, connection: exchange.connection.rawValue, number: exchange.number,
      trace: trace)
  }

  /// The address of a request, with the trace that its head names.
  init(_ exchange: Exchange, on shard: ShardHandle) {
    self.init(exchange.id, on: shard, in: CallTrace(exchange.head))
  }
}

extension Exchange.ID {
  /// The id of the request on its shard.
  init(_ address: ExchangeAddress) {
    self.init(
      connection: ConnectionID(rawValue: address.connection), number: address.number)
  }
}
