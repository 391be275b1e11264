/// `message.list`: the messages around a position in a channel, in time order.
package struct MessageList: Sendable, Hashable {
  package var channelURL: String
  package var anchor: MessageAnchor
  /// The number of messages before the position, 0 to 200.
  package var previousLimit: Int
  /// The number of messages after the position, 0 to 200.
  package var nextLimit: Int
  /// Whether the answer includes the message at the position, or those of exactly that millisecond.
  package var includesAnchor: Bool
  /// Whether the newest comes first.
  package var isReversed: Bool
  package var filter: MessageFilter

  package init(
    channelURL: String, anchor: MessageAnchor = .now,
    previousLimit: Int = Int(Limits.defaultPreviousLimit),
    nextLimit: Int = Int(Limits.defaultNextLimit), includesAnchor: Bool = true,
    isReversed: Bool = false, filter: MessageFilter = MessageFilter()
  ) {
    self.channelURL = channelURL
    self.anchor = anchor
    self.previousLimit = previousLimit
    self.nextLimit = nextLimit
    self.includesAnchor = includesAnchor
    self.isReversed = isReversed
    self.filter = filter
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    anchor = try MessageAnchor(parameters)
    let sizes = Limits.messagePageSizes
    let previous = try parameters.integer("prev_limit", in: sizes)
    let next = try parameters.integer("next_limit", in: sizes)
    previousLimit = Int(previous ?? Limits.defaultPreviousLimit)
    nextLimit = Int(next ?? Limits.defaultNextLimit)
    includesAnchor = try parameters.boolean("include") ?? true
    isReversed = try parameters.boolean("reverse") ?? false
    filter = try MessageFilter(parameters)
  }
}

extension MessageList {
  /// Reads the query of the Platform API, which pages in both directions and requires a position.
  ///
  /// - Throws: 400105 without a `message_id` above 0 and without a `message_ts`.
  package init(inChannel channelURL: String, query: Fields) throws(ServiceError) {
    let anchor = try MessageAnchor(query)
    guard anchor != .now else { throw .missing("message_ts") }
    let sizes = Limits.messagePageSizes
    let previous = try query.integer("prev_limit", in: sizes) ?? Limits.defaultPreviousLimit
    let next = try query.integer("next_limit", in: sizes) ?? Limits.defaultPreviousLimit
    self.init(
      channelURL: channelURL, anchor: anchor, previousLimit: Int(previous), nextLimit: Int(next),
      includesAnchor: try query.boolean("include") ?? true,
      isReversed: try query.boolean("reverse") ?? false, filter: try MessageFilter(query: query))
  }
}

/// The position around which messages are listed.
package enum MessageAnchor: Sendable, Hashable {
  case message(id: Int64)
  /// Unix milliseconds.
  case time(Int64)
  /// The time at which the request is executed.
  case now

  /// Reads `message_id`, which takes precedence if it is above 0, and `message_ts`.
  package init(_ parameters: Fields) throws(ServiceError) {
    let id = try parameters.integer("message_id", in: 0...Limits.messageIDs.upperBound) ?? 0
    let time = try parameters.integer("message_ts", in: Limits.timestamps)
    if id > 0 {
      self = .message(id: id)
    } else {
      self = time.map(MessageAnchor.time) ?? .now
    }
  }
}
