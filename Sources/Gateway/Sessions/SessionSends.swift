import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Telemetry

/// The sends of a session that are not answered, with their places in the window of its user.
final class SessionSends {
  private struct Place {
    let ticket: CallTicket
    let time: Int64
  }

  private let window: UserSendWindow
  /// A few at most, since the window limits them.
  private var places: [Place] = []

  /// - Parameter window: A window that the caller has joined.
  init(_ window: UserSendWindow) { self.window = window }

  deinit { window.leave() }

  /// Takes a place for a send.
  ///
  /// - Throws: 900200.
  func take(for ticket: CallTicket, limit: RateLimit) throws(ServiceError) {
    places.append(Place(ticket: ticket, time: try window.take(limit: limit)))
  }

  /// Ends a send, which keeps its place unless it was refused; ignores other calls.
  func end(_ ticket: CallTicket, _ outcome: CallOutcome) {
    guard let place = remove(ticket) else { return }
    if outcome.isRefusal { window.giveBack(place.time) }
  }

  /// Gives back the place of a send that was counted before.
  func giveBack(_ ticket: CallTicket) {
    if let place = remove(ticket) { window.giveBack(place.time) }
  }

  private func remove(_ ticket: CallTicket) -> Place? {
    places.firstIndex { $0.ticket == ticket }.map { places.remove(at: $0) }
  }
}

extension CallOutcome {
  /// Whether a call certainly had no effect.
  var isRefusal: Bool {
    if case .failure(let error) = self { error.data.outcome == nil } else { false }
  }
}

extension Shard {
  /// Passes a message of a session on to its channel.
  ///
  /// - Parameter session: `nil` if the session was closed since the call.
  /// - Throws: 900200 when the user has sent too many messages to all channels together.
  func submit(
    _ order: MessageOrder, to url: String, by caller: SessionPrincipal, of session: Session?,
    _ address: ReplyAddress
  ) throws(ServiceError) {
    var order = order
    let limit = settings.limits.userFlood
    do throws(ServiceError) {
      if limit.isOff {
        // Places that were taken before stay as they are.
      } else if let session {
        try session.takeSendPlace(for: address.ticket, limit: limit)
      } else {
        _ = try services.userFlood.take(of: caller.user.id, limit: limit)
      }
    } catch {
      order = try refused(order, error)
    }
    send(.channel(url: url, .command(.send(order), by: caller, replyTo: address)))
  }

  /// Takes a place for a message that is not from an open session.
  ///
  /// - Returns: The order, and the time of its place if it has one.
  /// - Throws: 900200.
  func takePlace(
    of order: MessageOrder, by userID: String
  ) throws(ServiceError) -> (order: MessageOrder, time: Int64?) {
    do throws(ServiceError) {
      return (order, try services.userFlood.take(of: userID, limit: settings.limits.userFlood))
    } catch {
      return (try refused(order, error), nil)
    }
  }

  /// Refuses a message, unless only its channel knows whether it is a repetition, or its sender exempt.
  private func refused(
    _ order: MessageOrder, _ error: ServiceError
  ) throws(ServiceError) -> MessageOrder {
    if order.requestID != nil || settings.limits.flood.exemptsOperators {
      return order.refused(error)
    }
    counters.add(to: .refusedFlood)
    throw error
  }
}

extension Session {
  fileprivate func takeSendPlace(
    for ticket: CallTicket, limit: RateLimit
  ) throws(ServiceError) {
    guard let caller else { return }
    if sends == nil {
      sends = SessionSends(shard.services.userFlood.join(caller.user.id, limit: limit))
    }
    try sends?.take(for: ticket, limit: limit)
  }
}
