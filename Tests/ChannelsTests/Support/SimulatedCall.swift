import ParleyProtocol

@testable import Channels

/// A send of a connection.
struct SimulatedCall {
  let number: Int
  let session: SessionAddress
  let user: String
  /// The name by which the log recognises the message; empty for a send that stays on its server.
  private(set) var requestID: String
  /// The server that has the call.
  var target: UInt16

  init(number: Int, session: SessionAddress, user: String, requestID: String) {
    self.number = number
    self.session = session
    self.user = user
    self.requestID = requestID
    target = session.server
  }

  /// Gives the send a name, so that it can be repeated.
  mutating func name() {
    if requestID.isEmpty { requestID = "edge-\(number)" }
  }

  var text: String { "\(number)" }

  var awaited: AwaitedSend {
    AwaitedSend(session: session, userID: user, requestID: requestID, text: text)
  }

  var input: JudgeInput {
    let draft = MessageDraft(type: .user, text: text, mentionedUserIDs: [], metaArrays: [])
    let order = MessageOrder(
      .success(draft), requestID: requestID.isEmpty ? nil : requestID)
    let principal = SessionPrincipal(user: User(id: user), session: session)
    let address = ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: number), id: nil, isPaid: true)
    return .command(.send(order), by: .session(principal), call: .session(address))
  }
}
