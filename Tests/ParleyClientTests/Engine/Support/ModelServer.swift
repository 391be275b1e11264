import ParleyProtocol
import Testing

/// The contract's view of one channel and one user's connections, without a network.
struct ModelServer {
  /// A connection as the server sees it; it may outlive the client's.
  struct Peer {
    var isOpen = false
    var isInside = false
  }

  struct Entry {
    let seq: Int64
    let user: String
    let requestID: String
  }

  private(set) var log: [Entry] = []
  private(set) var peers: [Int: Peer] = [:]
  private(set) var epoch = 1

  mutating func connect(_ peer: Int) {
    peers[peer] = Peer()
  }

  mutating func disconnect(_ peer: Int) {
    peers[peer] = nil
  }

  /// Somebody else sends.
  ///
  /// - Returns: What each connection is told.
  mutating func publish(user: String, requestID: String) -> [(peer: Int, text: String)] {
    append(user, requestID, except: nil)
  }

  /// Carries a request out.
  ///
  /// - Returns: The events and the answer that it leads to, in order.
  mutating func handle(_ text: [UInt8], from peer: Int) throws -> [(peer: Int, text: String)] {
    let root = try JSONDocument(text).root
    let id = String(decoding: try #require(root["id"]).raw, as: UTF8.self)
    let params = try #require(root["params"])
    switch root["method"]?.string {
    case "session.open":
      peers[peer]?.isOpen = true
      return [(peer, Self.result(id, #"{"ping_interval_ms":25000}"#))]
    case "channel.enter":
      peers[peer]?.isInside = true
      return [(peer, Self.result(id, entering(params)))]
    case "message.send":
      return try send(id, try #require(params["req_id"]?.string), peer)
    default:
      return [(peer, Self.result(id, "{}"))]
    }
  }

  private func entering(_ params: JSONNode) -> String {
    let last = Int64(log.count)
    var isRecovered = false
    var events: [String] = []
    if let recover = params["recover"], recover["epoch"]?.string == "e\(epoch)",
      let seq = recover["seq"]?.integer, last - seq <= 300
    {
      isRecovered = true
      events = log.filter { $0.seq > seq }.map(Self.event)
    }
    return #"{"epoch":"e\#(epoch)","seq":\#(last),"recovered":\#(isRecovered),"#
      + #""events":[\#(events.joined(separator: ","))]}"#
  }

  private mutating func send(
    _ id: String, _ requestID: String, _ peer: Int
  ) throws -> [(peer: Int, text: String)] {
    if let known = log.first(where: { $0.user == "jeff" && $0.requestID == requestID }) {
      return [(peer, Self.answer(id, known))]
    }
    guard peers[peer]?.isInside == true else {
      return [
        (peer, #"{"jsonrpc":"2.0","id":\#(id),"error":{"code":900020,"message":"","data":{}}}"#)
      ]
    }
    let events = append("jeff", requestID, except: peer)
    let entry = try #require(log.last)
    return events + [(peer, Self.answer(id, entry))]
  }

  private mutating func append(
    _ user: String, _ requestID: String, except author: Int?
  ) -> [(peer: Int, text: String)] {
    let entry = Entry(seq: Int64(log.count) + 1, user: user, requestID: requestID)
    log.append(entry)
    return peers.filter { $0.key != author && $0.value.isInside }.map {
      ($0.key, Self.event(entry))
    }
  }

  private static func event(_ entry: Entry) -> String {
    SessionRig.event("lobby", seq: entry.seq, user: entry.user, requestID: entry.requestID)
  }

  private static func answer(_ id: String, _ entry: Entry) -> String {
    result(id, #"{"message":{"message_id":\#(entry.seq)},"seq":\#(entry.seq)}"#)
  }

  private static func result(_ id: String, _ json: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"result":\#(json)}"#
  }
}
