import ParleyProtocol
import Testing

@testable import Gateway

/// A client with an open session, which keeps the events that it receives.
final class GroupClient {
  private let client: GatewayClient
  private var lastID: Int64 = 0
  private var events: [JSONNode] = []
  /// The methods of the events that were dropped while another was awaited.
  private(set) var dropped: [String] = []

  /// - Parameter groups: The member `groups` of `session.open`; `nil` leaves it out.
  init(_ gateway: RunningGateway, _ userID: String, groups: Bool? = nil) throws {
    client = try gateway.connect()
    try client.upgrade()
    let more = groups.map { #","groups":\#($0)"# } ?? ""
    let opened = try call("session.open", #""user_id":"\#(userID)"\#(more)"#)
    try #require(opened["result"] != nil)
    if groups != false { _ = try next("group.ready") }
  }

  /// Calls a method, and returns the answer as a whole.
  func call(_ method: String, _ members: String = "") throws -> JSONNode {
    lastID += 1
    try client.send(
      #"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":{\#(members)}}"#)
    while true {
      let root = try read()
      if root["id"]?.integer == lastID { return root }
      events.append(root)
    }
  }

  /// Calls a method that must succeed, and returns its result.
  func result(_ method: String, _ members: String = "") throws -> JSONNode {
    let answer = try call(method, members)
    return try #require(answer["result"], "\(method): \(answer.text)")
  }

  /// Waits for an event, and returns its params; earlier events are dropped.
  func next(_ method: String) throws -> JSONNode {
    while true {
      let event = try events.isEmpty ? read() : events.removeFirst()
      if event["method"]?.string == method { return try #require(event["params"]) }
      dropped.append(event["method"]?.string ?? "")
    }
  }

  /// The methods of the events up to now: all that the server sent before it answers a ping.
  func methods() throws -> [String] {
    _ = try call("session.ping")
    defer { events = [] }
    return events.compactMap { $0["method"]?.string }
  }

  private func read() throws -> JSONNode {
    try JSONDocument(Array(client.nextText().utf8)).root
  }
}

extension JSONNode {
  var text: String { String(decoding: raw, as: UTF8.self) }
}
