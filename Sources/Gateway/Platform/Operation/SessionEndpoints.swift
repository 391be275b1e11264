import Bytes
import ParleyProtocol
import Transport
import WebSocket

/// Who is connected, below `/v3/parley/sessions`.
extension PlatformCall {
  /// `GET …?user_id=`: a page of sessions, in the order of their ids.
  func listSessions() throws(ServiceError) -> Work {
    let query = try SessionQuery(
      userID: request.userID("user_id"), limit: request.pageSize(), token: request.pageToken())
    let cluster = node.services.cluster
    return { reply in
      cluster.gather {
        $0.sessions(query)
      } then: { found in
        let all = found.joined().sorted { $0.id < $1.id }
        reply(.success(SessionSummary.page(all, query)))
      }
    }
  }

  /// `DELETE …/{session_id}`: closes one with 1001.
  func closeSession() throws(ServiceError) -> Work {
    let id = arguments[0]
    let cluster = node.services.cluster
    return { reply in
      cluster.gather {
        $0.closeSession(id)
      } then: { closed in
        let outcome: Result<Void, ServiceError> =
          closed.contains(.closed)
          ? .success(())
          : .failure(
            ServiceError(.notFound, "there is no such session", field: "session_id"))
        reply(outcome.encodedEmpty)
      }
    }
  }

  /// `GET /v3/parley/connections`: how many there are on each reactor.
  func countConnections() throws(ServiceError) -> Work {
    let cluster = node.services.cluster
    return { reply in
      cluster.gather {
        ConnectionCount(
          connections: $0.transport.connectionCount, sessions: $0.sessions.count,
          queued: $0.transport.queuedConnectionCount)
      } then: { counts in
        reply(.success(ConnectionCount.encoded(counts)))
      }
    }
  }
}

private struct SessionQuery: Sendable {
  let userID: String?
  let limit: Int
  /// Only later ids.
  let last: String

  /// - Throws: 400109 for a token that is not one of this query.
  init(userID: String?, limit: Int, token: String?) throws(ServiceError) {
    self.userID = userID
    self.limit = limit
    guard let token, !token.isEmpty else {
      last = ""
      return
    }
    guard let id = Self.cursor(userID).position(in: token) else { throw .pageTokenExpired }
    last = id
  }

  /// The token that goes on after a session.
  func token(after id: String) -> String {
    Self.cursor(userID).token(after: id)
  }

  private static func cursor(_ userID: String?) -> PageCursor<String> {
    PageCursor(of: ["sessions", userID ?? ""])
  }
}

private enum SessionClosing: Sendable {
  case closed
  case unknown
}

private struct SessionSummary: Sendable {
  let id: String
  let userID: String
  /// The client's, without its port: behind proxies that is not known.
  let address: String
  let channelURLs: [String]

  static func page(_ all: [SessionSummary], _ query: SessionQuery) -> [UInt8] {
    let shown = all.prefix(query.limit)
    return JSONWriter.bytes { writer in
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
}

private struct ConnectionCount: Sendable {
  let connections: Int
  let sessions: Int
  let queued: Int

  static func encoded(_ counts: [ConnectionCount]) -> [UInt8] {
    JSONWriter.bytes { writer in
      writer.object {
        $0.member("connections", counts.reduce(0) { $0 + $1.connections })
        $0.member("sessions", counts.reduce(0) { $0 + $1.sessions })
        $0.member(
          "reactors",
          array: {
            for count in counts {
              $0.object {
                $0.member("connections", count.connections)
                $0.member("sessions", count.sessions)
                $0.member("queued", count.queued)
              }
            }
          })
      }
    }
  }
}

extension Node {
  /// The first sessions of this node that fit, and one more than asked for, to tell whether there
  /// are more.
  fileprivate func sessions(_ query: SessionQuery) -> [SessionSummary] {
    var found: [SessionSummary] = []
    for session in sessions.values {
      guard case .open(let identity) = session.state, identity.id > query.last,
        query.userID.map({ $0 == identity.user.id }) ?? true
      else { continue }
      // A page is small: putting each in its place costs less than sorting all sessions.
      let place = found.firstIndex { $0.id > identity.id } ?? found.count
      guard place <= query.limit else { continue }
      found.insert(
        SessionSummary(
          id: identity.id, userID: identity.user.id,
          address: session.connection.clientAddress?.host ?? "",
          channelURLs: session.places.map(\.url)),
        at: place)
      if found.count > query.limit + 1 { found.removeLast() }
    }
    return found
  }

  fileprivate func closeSession(_ id: String) -> SessionClosing {
    for session in sessions.values {
      guard case .open(let identity) = session.state, identity.id == id else { continue }
      session.close(.goingAway, reason: "an operator has closed the session")
      return .closed
    }
    return .unknown
  }
}
