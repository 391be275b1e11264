import Channels
import ParleyProtocol

/// The messages of one `message.send_files` call, whose replies arrive one by one.
///
/// Confined to the session's shard.
final class FileSends {
  /// The waiting call.
  let address: ReplyAddress
  private var outcomes: [CallOutcome?]

  init(_ count: Int, replyTo address: ReplyAddress) {
    self.address = address
    outcomes = Array(repeating: nil, count: count)
  }

  /// The reply address of one of the messages.
  ///
  /// No call of a session has such a ticket.
  static func part(_ index: Int, of address: ReplyAddress) -> ReplyAddress {
    ReplyAddress(
      session: address.session, ticket: CallTicket(unit: address.ticket.unit, index: -index - 1),
      id: address.id, isPaid: true, limit: address.limit)
  }

  /// Whether a ticket belongs to a message whose reply has not arrived.
  func awaits(_ ticket: CallTicket) -> Bool {
    let index = -ticket.index - 1
    return ticket.unit == address.ticket.unit && outcomes.indices.contains(index)
      && outcomes[index] == nil
  }

  /// Records the reply to a message.
  ///
  /// - Parameter limit: The size limit of the result in bytes.
  /// - Returns: The result of the call, after the last reply.
  func take(_ outcome: CallOutcome, at ticket: CallTicket, limit: Int) -> CallOutcome? {
    let index = -ticket.index - 1
    guard awaits(ticket) else { return nil }
    outcomes[index] = outcome
    let all = outcomes.compactMap(\.self)
    return all.count == outcomes.count ? Self.result(of: all, limit: limit) : nil
  }

  private static func result(of outcomes: [CallOutcome], limit: Int) -> CallOutcome {
    let errors = outcomes.compactMap { outcome -> ServiceError? in
      if case .failure(let error) = outcome { error } else { nil }
    }
    if errors.count == outcomes.count, let error = errors.first,
      errors.allSatisfy({ $0.code == error.code && $0.concernsCaller })
    {
      return .failure(error)
    }
    var place = FloodPlaces(sent: outcomes.count - errors.count)
    var room = limit - 8_192
    return .success(
      JSONWriter.bytes { writer in
        writer.object {
          $0.name("results")
          $0.array { writer in
            for outcome in outcomes {
              switch outcome {
              case .success(let result):
                writer.value(raw: result.count < room ? result : Self.shortened(result))
                room -= result.count
              case .failure(let error):
                writer.object { writer in
                  writer.name("error")
                  place.placed(error).encode(into: &writer)
                }
              }
            }
          }
        }
      })
  }

  /// The id of a message, for an answer without room for the whole message.
  private static func shortened(_ result: [UInt8]) -> [UInt8] {
    let root = try? JSONDocument(result).root
    return JSONWriter.bytes {
      $0.object {
        $0.name("message")
        $0.object { $0.member("message_id", root?["message"]?["message_id"]?.integer ?? 0) }
        $0.member("seq", root?["seq"]?.integer ?? 0)
      }
    }
  }
}

/// The times at which refused messages may be sent again, if they are sent in order.
private struct FloodPlaces {
  /// The number of messages sent by the same call.
  let sent: Int
  private var refusedCount: Int64 = 0
  /// The wait of the message before, which later ones follow, whichever limit refuses them.
  private var lastWait: Int64 = 0

  init(sent: Int) { self.sent = sent }

  /// The error with the time at which this message may be sent.
  ///
  /// The places in the flood window are freed one after another.
  mutating func placed(_ error: ServiceError) -> ServiceError {
    guard error.code == .flood, let first = error.data.retryAfterMilliseconds,
      let limit = error.data.limit, limit > 0, let window = error.data.windowMilliseconds
    else { return error }
    defer { refusedCount += 1 }
    var (error, wait) = (error, first)
    if refusedCount > 0 {
      // The places taken by the call itself are freed together. For other places this is not known.
      let start = Int64(sent) >= limit ? first : max(first, window)
      wait = start + refusedCount / limit * window
    }
    lastWait = max(lastWait, wait)
    error.data.retryAfterMilliseconds = lastWait
    return error
  }
}

extension ServiceError {
  /// Whether the refusal concerns the caller, whatever the message.
  fileprivate var concernsCaller: Bool {
    [.banned, .notInChannel, .frozen, .muted].contains(code)
      || code == .notFound && data.field == "channel_url"
  }
}
