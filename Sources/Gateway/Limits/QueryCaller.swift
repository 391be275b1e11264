import Channels
import Crypto
import FloodControl
import ParleyProtocol
import Reactor
import ShardMessages
import Transport

/// A caller of queries: it takes turns with others, and pays for the time.
enum QueryCaller: Sendable {
  case session(SessionPrincipal)
  case platform(TokenDigest)

  /// The party that takes turns: a user with all its connections, a token with all its calls.
  var principal: QueryPrincipal {
    switch self {
    case .session(let caller): .user(caller.user.id)
    case .platform(let token): .apiToken(token.bytes)
    }
  }

  /// Charges the cost of a query, before its answer leaves; on any thread.
  func pay(_ cost: QueryCost, to services: GatewayServices) {
    guard cost.nanoseconds > CallBudget.nanosecondsPerCall else { return }
    switch self {
    case .session(let caller):
      services.shards.enqueue(.session(caller.session, .charge(cost)))
    case .platform(let token):
      services.tokenRates.charge(token, cost, at: SystemClock.monotonicMilliseconds)
    }
  }
}

extension QueryPrincipal {
  /// The network of a client that has no name.
  init(_ client: PeerAddress) { self = .address(client.network.0, client.network.1) }
}

extension Command {
  /// Calls that a command costs beyond the one that each costs: the only writer of the store works for
  /// each operator that is named, ten of which make a call.
  var extraCalls: Int {
    switch self {
    case .channelCreate(let create): (create.fields.operatorIDs?.count ?? 0) / 10
    case .channelUpdate(let update): (update.fields.operatorIDs?.count ?? 0) / 10
    case .channel(_, .operation(.addOperators(let ids))),
      .channel(_, .operation(.removeOperators(let ids))):
      ids.count / 10
    case .channel, .sessionOpen, .sessionObserve, .sessionRefresh, .sessionPing, .sessionClose,
      .userGet, .userUpdate, .channelList, .channelEnter, .channelExit, .channelParticipants,
      .messageSend, .messageSendFiles, .messageList, .fileCreate, .fileGet, .fileList, .fileCancel,
      .previewFetch, .previewCancel:
      0
    }
  }
}
