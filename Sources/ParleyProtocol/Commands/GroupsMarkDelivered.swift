/// `group.mark_delivered`: the last message of each of several groups that the client has received.
package struct GroupsMarkDelivered: Sendable, Hashable {
  package struct Part: Sendable, Hashable {
    package var channelURL: String
    package var messageID: Int64

    package init(channelURL: String, messageID: Int64) {
      self.channelURL = channelURL
      self.messageID = messageID
    }
  }

  /// 1 to 100, each group once.
  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  init(_ parameters: Fields) throws(ServiceError) {
    parts = try parameters.channelObjects { url, item throws(ServiceError) in
      Part(channelURL: url, messageID: try item.messageID())
    }
  }
}

extension Fields {
  /// `channels`: 1 to 100 objects, each with another `channel_url`.
  ///
  /// - Parameter read: Reads an object with the given URL.
  func channelObjects<Part>(
    _ read: (String, Fields) throws(ServiceError) -> Part
  ) throws(ServiceError) -> [Part] {
    let name = "channels"
    let nodes = try value(name)?.nodes(name, limit: Limits.filterCount)
    guard let nodes else { throw .missing(name) }
    guard !nodes.isEmpty else { throw .invalid(name, "[]", expected: "at least one channel") }
    var urls: Set<String> = []
    var parts: [Part] = []
    for node in nodes {
      guard node.kind == .object else { throw .notObjects(name) }
      let item = try Fields(node)
      let url = try item.channelURL()
      guard urls.insert(url).inserted else {
        throw .invalid(name, url, expected: "each channel once")
      }
      parts.append(try read(url, item))
    }
    return parts
  }
}
