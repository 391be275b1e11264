internal import ParleyProtocol

/// Parses responses and notifications of the server; errors name the missing member.
enum AnswerReader {
  /// The message limit of the connection already bounds the largest response.
  private static let limits = JSONLimits(byteCount: .max, depth: 32, nodeCount: 1_000_000)

  /// Parses a JSON text.
  static func document(_ json: [UInt8]) throws(ParleyError) -> JSONNode {
    do throws(JSONError) {
      return try JSONDocument(json, limits: limits).root
    } catch {
      throw .malformedAnswer("\(error)")
    }
  }

  /// Returns a required member.
  static func member(_ name: String, of node: JSONNode) throws(ParleyError) -> JSONNode {
    guard let member = node.present(name) else { throw missing(name) }
    return member
  }

  /// Returns a required text.
  static func text(_ name: String, of node: JSONNode) throws(ParleyError) -> String {
    guard let text = node[name]?.string else { throw missing(name) }
    return text
  }

  /// Returns a required integer.
  static func integer(_ name: String, of node: JSONNode) throws(ParleyError) -> Int64 {
    guard let number = node[name]?.integer else { throw missing(name) }
    return number
  }

  /// Returns a required count, which must not be negative.
  static func count(_ name: String, of node: JSONNode) throws(ParleyError) -> Int {
    guard let count = Int(exactly: try integer(name, of: node)), count >= 0 else {
      throw missing(name)
    }
    return count
  }

  /// Returns the member `user`.
  static func user(of node: JSONNode) throws(ParleyError) -> User {
    User(
      try resource { () throws(ResourceError) in
        try ParleyProtocol.User(json: node["user"] ?? node)
      })
  }

  /// Returns a required list of users.
  static func users(_ name: String, of node: JSONNode) throws(ParleyError) -> [User] {
    let list = try member(name, of: node)
    return try resource { () throws(ResourceError) in try [ParleyProtocol.User](json: list) }
      .map(User.init)
  }

  /// Returns the member `channel`.
  static func channel(of node: JSONNode) throws(ParleyError) -> ChannelSnapshot {
    try ChannelSnapshot(json: member("channel", of: node))
  }

  /// Parses the user's own part in a group.
  static func own(_ node: JSONNode) throws(ParleyError) -> OwnMembership {
    try resource { () throws(ResourceError) in try OwnMembership(json: node) }
  }

  /// Returns every value of a required list.
  static func list<Value>(
    _ name: String, of node: JSONNode, _ read: (JSONNode) throws(ParleyError) -> Value
  ) throws(ParleyError) -> [Value] {
    let list = try member(name, of: node)
    guard list.kind == .array else { throw missing(name) }
    var values: [Value] = []
    for element in list.elements { values.append(try read(element)) }
    return values
  }

  /// Returns a required list of texts.
  static func texts(_ name: String, of node: JSONNode) throws(ParleyError) -> [String] {
    try list(name, of: node) { (element: JSONNode) throws(ParleyError) in
      guard let text = element.string else { throw missing(name) }
      return text
    }
  }

  /// Returns a required boolean.
  static func flag(_ name: String, of node: JSONNode) throws(ParleyError) -> Bool {
    guard let flag = try member(name, of: node).bool else { throw missing(name) }
    return flag
  }

  /// Converts an error of the resource parser into an error of the response.
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
