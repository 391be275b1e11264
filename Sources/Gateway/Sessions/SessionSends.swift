import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Telemetry

/// The sends of a session that are not answered, with their places in the window of its user.
final class SessionSends {
  private struct Place {
    let ticket: CallTicket
    /// `nil` while the window is off.
    let time: Int64?
    /// Whether the send counts in the quota of the day.
    let isCounted: Bool
  }

  private let userID: String
  private let window: UserSendWindow
  private let quotas: Quotas
  /// A few at most, since the window limits them.
  private var places: [Place] = []

  /// - Parameter window: A window that the caller has joined.
  init(of userID: String, _ window: UserSendWindow, _ quotas: Quotas) {
    (self.userID, self.window, self.quotas) = (userID, window, quotas)
  }

  deinit { window.leave() }

  /// Takes a place for a send.
  ///
  /// - Throws: 900200, 500910 or 500901.
  func take(for ticket: CallTicket, limit: RateLimit) throws(ServiceError) {
    let isCounted = try quotas.takeMessage(of: userID)
    do throws(ServiceError) {
      let time = limit.isOff ? nil : try window.take(limit: limit)
      guard isCounted || time != nil else { return }
      places.append(Place(ticket: ticket, time: time, isCounted: isCounted))
    } catch {
      if isCounted { quotas.giveBackMessage(of: userID) }
      throw error
    }
  }

  /// Ends a send, which keeps its place unless it was refused; ignores other calls.
  func end(_ ticket: CallTicket, _ outcome: CallOutcome) {
    guard let place = remove(ticket) else { return }
    if outcome.isRefusal { giveBack(place) }
  }

  /// Gives back the place of a send that was counted before.
  func giveBack(_ ticket: CallTicket) {
    if let place = remove(ticket) { giveBack(place) }
  }

  private func giveBack(_ place: Place) {
    if let time = place.time { window.giveBack(time) }
    if place.isCounted { quotas.giveBackMessage(of: userID) }
  }

  private func remove(_ ticket: CallTicket) -> Place? {
    places.firstIndex { $0.ticket == ticket }.map { places.remove(at: $0) }
  }
}

/// The place of a message that is not from an open session.
struct SendPlace: Sendable {
  /// In the window of the user; `nil` while that is off.
  let time: Int64?
  /// Whether the message counts in the quota of the day.
  let isCounted: Bool
}

extension GatewayServices {
  /// Gives back the place of a message that was refused.
  func giveBack(_ place: SendPlace?, of userID: String) {
    guard let place else { return }
    userFlood.giveBack(place.time, of: userID)
    if place.isCounted { quotas.giveBackMessage(of: userID) }
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
  /// - Throws: 900200 when the user has sent too many messages to all channels together, 500910 or 500901 at
  ///   a quota.
  func submit(
    _ order: MessageOrder, to url: String, by caller: SessionPrincipal, of session: Session?,
    _ address: ReplyAddress
  ) throws(ServiceError) {
    var order = order
    let limit = settings.limits.userFlood
    do throws(ServiceError) {
      if let session {
        try session.takeSendPlace(for: address.ticket, limit: limit)
      } else {
        _ = try takePlace(of: caller.user.id)
      }
    } catch {
      order = try refused(order, error)
    }
    send(.channel(url: url, .command(.send(order), by: caller, replyTo: address)))
  }

  /// Takes a place for a message that is not from an open session.
  ///
  /// - Returns: The order, and its place if it has one.
  /// - Throws: 900200, 500910 or 500901.
  func takePlace(
    of order: MessageOrder, by userID: String
  ) throws(ServiceError) -> (order: MessageOrder, place: SendPlace?) {
    do throws(ServiceError) {
      return (order, try takePlace(of: userID))
    } catch {
      return (try refused(order, error), nil)
    }
  }

  private func takePlace(of userID: String) throws(ServiceError) -> SendPlace {
    let isCounted = try services.quotas.takeMessage(of: userID)
    do throws(ServiceError) {
      let time = try services.userFlood.take(of: userID, limit: settings.limits.userFlood)
      return SendPlace(time: time, isCounted: isCounted)
    } catch {
      if isCounted { services.quotas.giveBackMessage(of: userID) }
      throw error
    }
  }

  /// Refuses a message, unless only its channel knows whether it is a repetition, or its sender exempt.
  private func refused(
    _ order: MessageOrder, _ error: ServiceError
  ) throws(ServiceError) -> MessageOrder {
    if order.requestID != nil || settings.limits.flood.exemptsOperators {
      return order.refused(error)
    }
    if error.code == .flood { counters.add(to: .refusedFlood) }
    throw error
  }
}

extension Session {
  fileprivate func takeSendPlace(
    for ticket: CallTicket, limit: RateLimit
  ) throws(ServiceError) {
    guard let caller else { return }
    if sends == nil {
      let services = shard.services
      sends = SessionSends(
        of: caller.user.id, services.userFlood.join(caller.user.id, limit: limit), services.quotas)
    }
    try sends?.take(for: ticket, limit: limit)
  }
}
