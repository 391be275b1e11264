import ParleyProtocol

@testable import Channels

/// Inputs and actions of the stages.
extension SeveralStages {
  func handle(_ input: StageInput, _ server: SimulatedServer) {
    var actions = StageActions()
    server.stage?.handle(input, at: moment, into: &actions)
    for action in actions.list { perform(action, server) }
  }

  func handle(_ input: AttachmentInput, _ server: SimulatedServer) {
    var actions = StageActions()
    server.stage?.handle(input, at: moment, into: &actions)
    for action in actions.list { perform(action, server) }
  }

  func report(_ report: StageReport, _ server: SimulatedServer) {
    links.append(.report(report, server.address), from: server.number, to: server.home)
  }

  private func perform(_ action: StageAction, _ server: SimulatedServer) {
    switch action {
    case .deliver(let plan, let shard): deliver(plan, shard, server)
    case .notify(let payload, let sessions, _):
      for session in sessions { send(payload, to: session) }
    case .reply(let address, let outcome) where address.ticket.index > 0:
      complete(address, outcome)
    case .reply(let address, _): stay(of: address.session)?.hasEnded = true
    case .welcome(let address, _, let result): welcome(address.session, result)
    case .release(let principal):
      if server.stage?.contains(principal.user.id) == false {
        didLeave(principal.user.id, server)
      }
    case .unsubscribe(let session), .disconnect(let session): stay(of: session)?.hasEnded = true
    case .read(let read): server.reads.append(.recovered(read.number, after: read.seq))
    case .entered(let user, let session):
      if server.isBesideHome, let host = server.host {
        handle(.entered(user, session), host)
      } else {
        report(.entered(user, session), server)
      }
    case .left(let userID): didLeave(userID, server)
    case .report(let report): self.report(report, server)
    case .repair(let attachment, _, let seq):
      server.reads.append(.repaired(attachment, after: seq, server.awaitedSends))
    case .admitObserver, .recovered, .seek, .subscribe, .renew: break
    case .reattach: server.attachTime = now + 200
    case .withheld: break
    case .wake(let time): server.wakeTime = time
    }
  }

  private func didLeave(_ userID: String, _ server: SimulatedServer) {
    if server.isBesideHome, let host = server.host {
      handle(.left(userID: userID, server: server.number), host)
    } else {
      report(.left(userID: userID), server)
    }
  }

  private func welcome(_ session: SessionAddress, _ result: [UInt8]) {
    guard let stay = stay(of: session), let root = try? JSONDocument(result).root else {
      // The connection is gone: its server reports that.
      return handle(.leave(session, userID: ""), servers[Int(session.server)])
    }
    stay.enter(root, among: stays)
  }

  private func deliver(_ plan: FanOutPlan, _ shard: Int, _ server: SimulatedServer) {
    var shares: [UInt64: FanOutPlan.Share] = [:]
    for exception in plan.exceptions { shares[exception.connection] = exception.share }
    for stay in stays where !stay.hasEnded && stay.start != nil {
      guard stay.session.server == server.number, Int(stay.session.shard) == shard else { continue }
      let share = shares[stay.session.connection] ?? plan.common
      for (index, payload) in plan.payloads.enumerated() where share.contains(index) {
        send(payload, to: stay.session)
      }
    }
  }

  private func send(_ payload: [UInt8], to session: SessionAddress) {
    guard let stay = stay(of: session), let event = try? JSONDocument(payload).root else { return }
    stay.take(event)
  }
}
