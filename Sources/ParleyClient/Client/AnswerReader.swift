internal import ParleyProtocol

/// Reads what the server answers and tells; what is missing is named.
enum AnswerReader {
  /// The largest answer is bounded by the message limit of the connection already.
  private static let limits = JSONLimits(byteCount: .max, depth: 32, nodeCount: 1_000_000)

  /// Reads a JSON text.
  static func document(_ json: [UInt8]) throws(ParleyError) -> JSONNode {
    do throws(JSONError) {
      return try JSONDocument(json, limits: limits).root
    } catch {
      throw .malformedAnswer("\(error)")
    }
  }

  /// A member that must be there.
  static func member(_ name: String, of node: JSONNode) throws(ParleyError) -> JSONNode {
    guard let member = node.present(name) else { throw missing(name) }
    return member
  }

  /// A text that must be there.
  static func text(_ name: String, of node: JSONNode) throws(ParleyError) -> String {
    guard let text = node[name]?.string else { throw missing(name) }
    return text
  }

  /// A whole number that must be there.
  static func integer(_ name: String, of node: JSONNode) throws(ParleyError) -> Int64 {
    guard let number = node[name]?.integer else { throw missing(name) }
    return number
  }

  /// A count that must be there and is not negative.
  static func count(_ name: String, of node: JSONNode) throws(ParleyError) -> Int {
    guard let count = Int(exactly: try integer(name, of: node)), count >= 0 else {
      throw missing(name)
    }
    return count
  }

  /// The member `user`.
  static func user(of node: JSONNode) throws(ParleyError) -> User {
    User(
      try resource { () throws(ResourceError) in
        try ParleyProtocol.User(json: node["user"] ?? node)
      })
  }

  /// A list of users that must be there.
  static func users(_ name: String, of node: JSONNode) throws(ParleyError) -> [User] {
    let list = try member(name, of: node)
    return try resource { () throws(ResourceError) in try [ParleyProtocol.User](json: list) }
      .map(User.init)
  }

  /// The member `channel`.
  static func channel(of node: JSONNode) throws(ParleyError) -> ChannelSnapshot {
    try ChannelSnapshot(json: member("channel", of: node))
  }

  /// Every value of a list that must be there.
  static func list<Value>(
    _ name: String, of node: JSONNode, _ read: (JSONNode) throws(ParleyError) -> Value
  ) throws(ParleyError) -> [Value] {
    let list = try member(name, of: node)
    guard list.kind == .array else { throw missing(name) }
    var values: [Value] = []
    for element in list.elements { values.append(try read(element)) }
    return values
  }

  /// Converts an error of the resources' reader into an error of the answer.
  static func resource<Value>(
    _ read: () throws(ResourceError) -> Value
  ) throws(ParleyError) -> Value {
    do throws(ResourceError) {
      return try read()
    } catch {
      throw .malformedAnswer("\(error)")
    }
  }

  private static func missing(_ name: String) -> ParleyError {
    .malformedAnswer("'\(name)' is missing or of another type")
  }
}
