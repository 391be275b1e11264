import Basics
import ParleyProtocol
import Channels
import Transport
import HTTP

/// The sessions of all clients, below `/v3/parley/sessions`.
enum SessionEndpoints {
  /// `GET …?user_id=`: a page of sessions, ordered by id.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let query = try SessionQuery(
      userID: call.query.optionalUserID("user_id"), limit: call.query.pageSize(),
      token: call.query.pageToken())
    call.shard.askAll(.sessions(query)) { answers in
      var all: [SessionSummary] = []
      for case .sessions(let sessions) in answers { all += sessions }
      all.sort { $0.id < $1.id }
      completion { SessionSummary.encode(all, query, into: &$0) }
    }
  }

  /// `DELETE …/{session_id}`: closes a session with code 1001, and answers with its user.
  static func close(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = call.arguments["session_id"]
    call.shard.askAll(.close(sessionID: id)) { answers in
      for case .closed(let userID?) in answers {
        return completion { writer in writer.object { $0.member("user_id", userID) } }
      }
      completion.fail(ServiceError(.notFound, "there is no such session", field: "session_id"))
    }
  }
}

extension SessionQuery {
  /// - Throws: 400109 for a page token of another query.
  fileprivate init(userID: String?, limit: Int, token: String?) throws(ServiceError) {
    var last = ""
    if let token, !token.isEmpty {
      guard let id = Self.cursor(userID).position(in: token) else { throw .pageTokenExpired }
      last = id
    }
    self.init(userID: userID, limit: limit, last: last)
  }

  /// The page token for the sessions after an id.
  fileprivate func token(after id: String) -> String {
    Self.cursor(userID).token(after: id)
  }

  private static func cursor(_ userID: String?) -> PageCursor<String> {
    PageCursor(of: ["sessions", userID ?? ""])
  }
}

extension SessionSummary {
  fileprivate static func encode(
    _ all: [SessionSummary], _ query: SessionQuery, into writer: inout JSONWriter
  ) {
    let shown = all.prefix(query.limit)
    writer.object {
      $0.member(
        "sessions",
        array: {
          for session in shown {
            $0.object {
              $0.member("session_id", session.id)
              $0.member("user_id", session.userID)
              $0.member("address", session.address)
              $0.member("channel_urls", session.channelURLs)
            }
          }
        })
      let last = all.count > query.limit ? shown.last : nil
      $0.member("next", last.map { query.token(after: $0.id) } ?? "")
    }
  }
}

extension Shard {
  /// The first matching sessions of this shard, up to one more than the page size, which shows whether
  /// there are more.
  func sessions(_ query: SessionQuery) -> [SessionSummary] {
    var found: [SessionSummary] = []
    for session in sessions.all {
      guard case .open(let identity) = session.state, identity.id > query.last,
        query.userID.map({ $0 == identity.user.id }) ?? true
      else { continue }
      // Pages are small, so inserting in order costs less than sorting all sessions.
      let place = found.firstIndex { $0.id > identity.id } ?? found.count
      guard place <= query.limit else { continue }
      found.insert(
        SessionSummary(
          id: identity.id, userID: identity.user.id,
          address: session.connection.clientAddress?.host ?? "",
          channelURLs: session.places.urls),
        at: place)
      if found.count > query.limit + 1 { found.removeLast() }
    }
    return found
  }

  /// Closes a session of this shard by its id.
  ///
  /// - Returns: The user of the session; `nil` when the session is not on this shard.
  func closeSession(_ id: String) -> String? {
    for session in sessions.all {
      guard case .open(let identity) = session.state, identity.id == id else { continue }
      session.close(.goingAway, reason: "an operator has closed the session")
      return identity.user.id
    }
    return nil
  }
}
