import Channels
import ParleyProtocol
import WebSocket

extension Session {
  /// Carries a request out; its outcome comes to ``complete(_:_:)`` sooner or later.
  func perform(_ request: RPCRequest, _ address: ReplyAddress) {
    do throws(ServiceError) {
      try checkOrder(of: request)
      let command = try Command(method: request.method, params: request.params)
      switch command {
      case .sessionOpen(let open): self.open(open, address)
      case .sessionRefresh(let refresh): self.refresh(refresh, address)
      case .sessionPing: ping(address)
      case .sessionClose: end(address)
      default: try carryOut(command, address)
      }
    } catch {
      reply(.failure(error), to: address)
    }
  }

  /// Replies in the next round of this turn, never within the call itself.
  func reply(_ outcome: CallOutcome, to address: ReplyAddress) {
    node.reply(to: address, outcome)
  }

  private func checkOrder(of request: RPCRequest) throws(ServiceError) {
    switch state {
    case .awaitingOpen where request.method != "session.open":
      throw .invalidRequest("session.open must be the first request")
    case .opening, .open:
      guard request.method != "session.open" else {
        throw .invalidRequest("the session is open already")
      }
    case .awaitingOpen, .closed: break
    }
  }

  private func carryOut(_ command: Command, _ address: ReplyAddress) throws(ServiceError) {
    guard let caller else { throw .invalidRequest("the session is not open") }
    charge(command)
    switch command {
    case .userGet(let get): self.get(get, address)
    case .userUpdate(let update): self.update(update, caller, address)
    case .channelCreate(let create): self.create(create, caller, address)
    case .channelList(let list): self.list(list, caller, address)
    case .channelEnter(let enter): self.enter(enter, caller, address)
    case .channelExit(let exit): try self.exit(exit.channelURL, caller, address)
    default:
      guard let url = command.channelURL else { throw .noSuchMethod("") }
      node.post(toChannel: url) { node in
        node.channels.withChannel(url) { result in
          switch result {
          case .success(let channel): channel.perform(command, by: caller, replyTo: address)
          case .failure(let error): node.reply(to: address, .failure(error))
          }
        }
      }
    }
  }

  private func ping(_ address: ReplyAddress) {
    let now = node.services.clock.now
    reply(.success(JSONWriter.bytes { $0.object { $0.member("time", now) } }), to: address)
  }

  private func end(_ address: ReplyAddress) {
    reply(.empty, to: address)
    closeWhenAnswered(.normalClosure, reason: "")
  }
}
