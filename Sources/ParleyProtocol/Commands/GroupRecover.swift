/// `group.recover`: the events that a connection has missed in groups.
package struct GroupRecover: Sendable, Hashable {
  /// A group with the last event that the client received.
  package struct Part: Sendable, Hashable {
    package var channelURL: String
    package var position: StreamPosition

    package init(channelURL: String, position: StreamPosition) {
      self.channelURL = channelURL
      self.position = position
    }
  }

  /// 1 to 100, each group once.
  package var parts: [Part]

  package init(_ parts: [Part]) { self.parts = parts }

  init(_ parameters: Fields) throws(ServiceError) {
    parts = try parameters.channelObjects { url, item throws(ServiceError) in
      Part(channelURL: url, position: try StreamPosition(item))
    }
  }
}
