import Channels
import Crypto
import FloodControl
import ParleyProtocol
import Reactor
import Transport

/// A caller of queries, which takes turns with others and is charged for the time.
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

  /// Charges the cost of a query before its answer is sent; may be called on any thread.
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
  /// The network of an unidentified client.
  init(_ client: PeerAddress) { self = .address(client.network.0, client.network.1) }
}

extension Command {
  /// The calls that a command costs beyond the usual one: the only writer of the store does work
  /// for each named operator and member, and ten of them count as a call.
  var extraCalls: Int {
    switch self {
    case .channelCreate(let create): (create.fields.operatorIDs?.count ?? 0) / 10
    case .channelUpdate(let update): (update.fields.operatorIDs?.count ?? 0) / 10
    case .channel(_, .operation(.addOperators(let ids))),
      .channel(_, .operation(.removeOperators(let ids))):
      ids.count / 10
    case .groupCreate(let create): create.userIDs.count / 10
    // All groups of the caller learn of it.
    case .userPreferences(let preferences): preferences.sendsReadReceipts == nil ? 0 : 20
    // The groups that the users share are searched among all groups of the caller.
    case .userBlock, .userUnblock: 4
    // All channels with participants are looked through, on all servers.
    case .channelList(let list): list.order == .participants ? 4 : 0
    case .groupsMarkRead(let groups): groups.channelURLs?.count ?? 0
    // Clients send it by themselves, for all groups with new messages.
    case .groupsMarkDelivered(let groups): groups.parts.count / 10
    case .channel(_, .group(.change(.invite(let ids)))),
      .channel(_, .group(.change(.remove(let ids)))):
      ids.count / 10
    case .channel, .sessionOpen, .sessionObserve, .sessionRefresh, .sessionPing, .sessionClose,
      .sessionBackground, .pushRegister, .pushUnregister, .pushTokens, .pushPreferences,
      .userGet, .userUpdate, .userBlocked, .groupUpdate, .groupMembers, .groupList, .groupUnread,
      .groupWatchTotals, .groupChanges, .groupRecover, .channelEnter, .channelExit,
      .channelParticipants,
      .messageSendFiles, .messageList, .messageChanges, .messageSearch, .report, .fileCreate,
      .fileGet, .fileList,
      .fileCancel,
      .previewFetch, .previewCancel:
      0
    }
  }
}
