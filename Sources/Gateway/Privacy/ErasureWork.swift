import Channels
import Crypto
import ParleyProtocol
import Reactor
import Store

/// Erases the users of a privacy request, part by part.
///
/// Messages are deleted by the homes of their channels, which notify clients as for any deletion.
/// Confined to the first shard.
final class ErasureWork: LongWork {
  /// The time between two parts, for other writes, in milliseconds.
  private static let pause: Int64 = 20

  private unowned let shard: Shard
  private let request: LongRequest
  private let parameters: PrivacyParameters?
  private var progress: ErasureProgress
  private var completion: ((LongRequestRun.Step) -> Void)?

  init(at request: LongRequest, on shard: Shard) {
    self.request = request
    self.shard = shard
    parameters = PrivacyParameters(params: request.params)
    progress =
      ErasureProgress(request.position) ?? ErasureProgress(pseudonym: Self.makePseudonym())
  }

  /// A random id that no user has.
  private static func makePseudonym() -> String { "erased-\(SecureRandom.hex(byteCount: 8))" }

  func step(_ completion: @escaping (LongRequestRun.Step) -> Void) {
    self.completion = completion
    guard let parameters else {
      return finish(.failed(reason: "its parameters are those of another version"))
    }
    guard progress.user < parameters.userIDs.count else {
      return finish(.finished(.done(fileSize: nil, expiry: 0)))
    }
    let userID = parameters.userIDs[progress.user]
    switch progress.phase {
    case .messages: eraseMessages(of: userID, parameters.messages)
    case .channels: deleteChannels(of: userID, parameters.channels)
    case .account: removeAccount(userID)
    case .groups:
      let erasure = GroupTraceErasure(of: userID, after: Int64(progress.place) ?? 0)
      continuePhase(with: erasure) { $0.map(String.init) }
    case .mentions: eraseMentions(of: userID)
    case .events: eraseEvents(of: userID)
    case .remains:
      perform(UserRemainsErasure(of: userID, messages: parameters.messages)) { $0.endPhase() }
    }
  }

  // MARK: Messages

  private func eraseMessages(of userID: String, _ fate: UserRemainsErasure.Messages) {
    guard fate != .keep else { return endPhase() }
    let position = ChannelPassPosition(progress.place) ?? ChannelPassPosition()
    let page = UserMessagesPage(of: userID, after: position)
    let (path, work) = (shard.returnPath, LoopBound(self))
    shard.services.store.perform(page, for: .server) { result, _ in
      path.resume { _ in work.value.erase(result, of: userID, fate) }
    }
  }

  private func erase(
    _ result: Result<UserMessagesPage.Outcome, StoreError>, of userID: String,
    _ fate: UserRemainsErasure.Messages
  ) {
    let page: UserMessagesPage.Outcome
    switch result {
    case .success(let found): page = found
    case .failure(.closed): return
    case .failure(let error): return finish(.postponed(reason: "\(error)"))
    }
    let next: @Sendable (ErasureWork) -> Void = { work in
      guard !page.isLast else { return work.endPhase() }
      work.progress.place = page.position.text
      work.advance()
    }
    guard !page.messages.isEmpty else { return next(self) }
    switch fate {
    case .keep: next(self)
    case .anonymize:
      perform(
        MessageAnonymization(of: userID, as: progress.pseudonym, page.messages.map(\.id)),
        then: next)
    case .remove: callHomes(of: page.messages.map(\.deletion), then: next)
    }
  }

  // MARK: Channels

  private func deleteChannels(of userID: String, _ option: PrivacyParameters.ChannelDeletion) {
    let kind: GroupsOfUser.Kind
    switch option {
    case .none: return endPhase()
    case .pairs: kind = .pairs
    case .all: kind = .all
    }
    let (path, work) = (shard.returnPath, LoopBound(self))
    shard.services.store.perform(GroupsOfUser(userID, kind)) { result in
      path.resume { _ in
        switch result {
        case .success(let urls) where urls.isEmpty: work.value.endPhase()
        case .success(let urls):
          let calls = urls.map { HomeCall(url: $0, target: "/v3/group_channels/\($0)") }
          work.value.callHomes(of: calls) { $0.advance() }
        case .failure(.closed): break
        case .failure(let error): work.value.finish(.postponed(reason: "\(error)"))
        }
      }
    }
  }

  // MARK: The account

  private func removeAccount(_ userID: String) {
    let (path, work) = (shard.returnPath, LoopBound(self))
    let removal = UserRemoval(userID: userID, services: shard.services, path: path)
    removal.proceed { result in
      path.resume { _ in
        switch result {
        case .success: work.value.endPhase()
        // An attempt before has removed it, or there was none.
        case .failure(let error) where error.code == .notFound: work.value.endPhase()
        case .failure(let error): work.value.finish(.postponed(reason: error.message))
        }
      }
    }
  }

  private func eraseMentions(of userID: String) {
    let erasure = UserMentionErasure(of: userID, after: Int64(progress.place) ?? 0)
    continuePhase(with: erasure) { $0.next.map(String.init) }
  }

  private func eraseEvents(of userID: String) {
    let erasure = EventErasure(
      of: userID, after: EventErasure.Position(progress.place) ?? EventErasure.Position())
    continuePhase(with: erasure) { $0?.text }
  }

  // MARK: Ways on

  /// Carries out a part of the phase, which ends without a next place.
  private func continuePhase<Write: StoreWrite>(
    with write: Write, at place: @escaping @Sendable (Write.Outcome) -> String?
  ) {
    let (path, work) = (shard.returnPath, LoopBound(self))
    shard.services.store.perform(write) { result in
      path.resume { _ in
        switch result {
        case .success(let outcome):
          guard let next = place(outcome) else { return work.value.endPhase() }
          work.value.progress.place = next
          work.value.advance()
        case .failure(.closed): break
        case .failure(let error): work.value.finish(.postponed(reason: "\(error)"))
        }
      }
    }
  }

  /// A deletion that the home of a channel carries out.
  fileprivate struct HomeCall: Sendable {
    let url: String
    let target: String
  }

  /// Makes calls one after another; what is gone already counts as deleted, and what a legal hold keeps stays.
  private func callHomes(of calls: [HomeCall], then next: @escaping (ErasureWork) -> Void) {
    guard let call = calls.first else { return next(self) }
    shard.callHome(ofChannel: call.url, "DELETE", call.target) { [weak self] outcome in
      guard let self else { return }
      switch outcome {
      case .success: callHomes(of: Array(calls.dropFirst()), then: next)
      case .failure(let error) where error.code == .notFound || error.isOfHold:
        callHomes(of: Array(calls.dropFirst()), then: next)
      case .failure(let error): finish(.postponed(reason: error.message))
      }
    }
  }

  private func perform<Write: StoreWrite>(
    _ write: Write, then next: @escaping @Sendable (ErasureWork) -> Void
  ) {
    let (path, work) = (shard.returnPath, LoopBound(self))
    shard.services.store.perform(write) { result in
      path.resume { _ in
        switch result {
        case .success: next(work.value)
        case .failure(.closed): break
        case .failure(let error): work.value.finish(.postponed(reason: "\(error)"))
        }
      }
    }
  }

  /// Records the phase in the audit log, and continues with the next one.
  private func endPhase() {
    if let parameters {
      let userID = parameters.userIDs[progress.user]
      shard.services.auditErasure(progress.phase.rawValue, of: userID, in: request)
    }
    progress.endPhase(nextPseudonym: Self.makePseudonym())
    advance()
  }

  private func advance() {
    finish(.advanced(position: progress.text, part: nil, rest: Self.pause))
  }

  private func finish(_ step: LongRequestRun.Step) {
    let completion = completion
    self.completion = nil
    completion?(step)
  }
}

extension OwnedMessage {
  fileprivate var deletion: ErasureWork.HomeCall {
    .init(url: channelURL, target: "/v3/\(kind.rawValue)/\(channelURL)/messages/\(id)")
  }
}

extension GatewayServices {
  /// Records a step of a privacy request in the audit log.
  fileprivate func auditErasure(_ step: String, of userID: String, in request: LongRequest) {
    guard let audit, let action = AuditedAction(ofPath: "/v3/privacy/gdpr/{request_id}") else {
      return
    }
    let call = AuditCall(
      time: clock.now, token: APITokenName(id: "server", name: nil), client: "", trace: nil,
      method: "ERASE", path: "/v3/privacy/gdpr/\(request.id)/\(step)", action: action,
      arguments: [(name: "request_id", value: request.id), (name: "user_id", value: userID)],
      query: [:], body: [])
    audit.write(AuditRecord(call: call, former: nil, outcome: .success([])))
  }
}
